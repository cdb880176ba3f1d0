/** Those of gRPC's codes that are told here. */
export const status = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;
export type Status = (typeof status)[keyof typeof status];

/** What a call is answered with when it is not done. The kubelet shows the message in the pod's events, so it says what to do. */
export class CsiError extends Error {
  override readonly name = 'CsiError';
  readonly code: Status;

  constructor(code: Status, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const invalid = (message: string): CsiError => new CsiError(status.INVALID_ARGUMENT, message);
export const notFound = (message: string): CsiError => new CsiError(status.NOT_FOUND, message);
/** It may work when it is asked again. */
export const unavailable = (message: string): CsiError => new CsiError(status.UNAVAILABLE, message);
