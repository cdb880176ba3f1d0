import type { Unknown } from './known.ts';

/** The pod cannot have what it asked for. The message has the reason and the remedy, for the pod's user. */
export class Denied extends Error {
  override readonly name = 'Denied';
  /** Objects that were missing or said no: read again before the pod is denied. */
  readonly unknown: readonly Unknown[];
  constructor(message: string, unknown: readonly Unknown[] = []) {
    super(message);
    this.unknown = unknown;
  }
}
