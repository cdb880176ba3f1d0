/** Minor version of the oldest Kubernetes 1 that Sluice runs on: bookmarks of paged lists, and CEL rules over the whole object. */
export const OLDEST_MINOR = 29;
