/** Absolute, without a slash at the end or two in a row. */
export const cleanPath = (path: string): string => `/${path.split('/').filter(Boolean).join('/')}`;

/** A path below another, which may be `/`. */
export const below = (root: string, path: string): string => cleanPath(`${root}/${path}`);
