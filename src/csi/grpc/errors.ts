import { status } from '@grpc/grpc-js';

export { status };

/** The error that a call returns. The kubelet shows the message in the pod's events, so it says what to do. */
export class CsiError extends Error {
  override readonly name = 'CsiError';
  readonly code: status;

  constructor(code: status, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const invalid = (message: string): CsiError => new CsiError(status.INVALID_ARGUMENT, message);
export const notFound = (message: string): CsiError => new CsiError(status.NOT_FOUND, message);
/** A retry may succeed. */
export const unavailable = (message: string): CsiError => new CsiError(status.UNAVAILABLE, message);
