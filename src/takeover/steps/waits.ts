/** How long pods may take. */

/** An image may have to be pulled. */
export const STARTS_MS = 300_000;
/** Kubernetes' grace period, and as long again. */
export const ENDS_MS = 60_000;
