import type { Mutation, MutationPlugin } from '../admission.ts';

/** For a plugin that has no arguments: configuring it throws an Error that says which were found. */
export const withoutArguments =
  (mutation: Mutation): MutationPlugin['configure'] =>
  (args) => {
    if (args !== undefined && args !== null) throw new Error(`args: expected none, found ${JSON.stringify(args)}`);
    return mutation;
  };
