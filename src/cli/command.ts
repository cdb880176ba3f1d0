import type { Command } from 'commander';
import type { CustomResource } from '../api/resource.ts';
import type { Runtime } from '../constructs/contract.ts';

/** What comes with the package, loaded when a command asks for it. */
export interface Package {
  runtimes(): Promise<readonly Runtime[]>;
  resources(): Promise<readonly CustomResource[]>;
}

/** Gives a command its arguments, options, examples and action; an action that ends with another code than 0 sets `process.exitCode`. */
export type Define = (command: Command, parts: Package) => void;
