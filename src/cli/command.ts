import type { Command } from 'commander';
import type { CustomResource } from '../api/resource.ts';
import type { Runtime } from '../constructs/contract.ts';

/** The runtimes and resources of the package, loaded when a command needs them. */
export interface Package {
  runtimes(): Promise<readonly Runtime[]>;
  resources(): Promise<readonly CustomResource[]>;
}

/** Adds arguments, options, examples and the action to a command. An action with an exit code other than 0 sets `process.exitCode`. */
export type Define = (command: Command, parts: Package) => void;
