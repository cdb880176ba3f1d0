/** Stores that ask for a key and its secret, in options `fs.<store>.accessKeyId` and `fs.<store>.accessKeySecret`. */
export const STORES: readonly string[] = ['oss', 's3', 'cos', 'obs'];
export const keyOptions = (scheme: string) => [`fs.${scheme}.accessKeyId`, `fs.${scheme}.accessKeySecret`] as const;
