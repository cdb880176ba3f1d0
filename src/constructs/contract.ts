/** What a runtime is, in types: all that its author fills in, and what the rest of the system sees of it. */
export type * from './contract/commands.ts';
export type * from './contract/input.ts';
export type * from './contract/operation.ts';
export type * from './contract/plan.ts';
export type * from './contract/pod.ts';
export type * from './contract/runtime.ts';
