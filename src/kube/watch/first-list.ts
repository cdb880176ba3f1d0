/** Whether a collection has been listed, and who waits for that. */
export interface FirstList {
  /** Resolves when the first list is complete. */
  readonly synced: Promise<void>;
  /** Resolves as `synced` does, and also when the server does not serve the kind. */
  readonly answered: Promise<void>;
  readonly isComplete: boolean;
  /** A list is complete. Returns whether it is the first. */
  complete(): boolean;
  /** The server does not serve the kind. */
  isUnknown(): void;
}

export function createFirstList(): FirstList {
  let isComplete = false;
  const synced = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  return {
    synced: synced.promise,
    answered: answered.promise,
    get isComplete() {
      return isComplete;
    },
    complete() {
      if (isComplete) return false;
      isComplete = true;
      synced.resolve();
      answered.resolve();
      return true;
    },
    isUnknown: answered.resolve,
  };
}
