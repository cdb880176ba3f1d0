/** The contract of a runtime, in types: everything that its author fills in, and its view from the rest of the system. */
export type * from './contract/commands.ts';
export type * from './contract/diagnosis.ts';
export type * from './contract/input.ts';
export type * from './contract/operation.ts';
export type * from './contract/plan.ts';
export type * from './contract/pod.ts';
export type * from './contract/runtime.ts';
