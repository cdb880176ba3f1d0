/** On whose behalf a request comes: for the address that asks, and there for the namespace of the pod. Each takes turns with its like. */
export interface Caller {
  readonly peer: string;
  readonly namespace: string;
}

/** The name of a pod, which the API server checks only later, may be as long as the request. */
const HEAD = 64 << 10;
/** API servers write no blanks, and before the namespace no map with keys of a tenant; in a text its quotes would be escaped. */
const NAMESPACE = /"namespace":"([^"\\]{1,253})"/;

/**
 * The namespace in the beginning of an AdmissionReview, without parsing it; empty if there is none. It decides who waits and nothing else.
 * All API servers may have one address, so that a namespace that floods them must not be all that the webhook sees of this address.
 */
export const namespaceIn = (head: string): string => NAMESPACE.exec(head.slice(0, HEAD))?.[1] ?? '';
