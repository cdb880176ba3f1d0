import type { RuntimeNames } from '../../src/constructs/index.ts';

/** The names that `defineRuntime` adds to the input of a plan, for a runtime `demo` of a kind with one engine. */
export const namesOf = (type: string, kind: string): RuntimeNames => ({
  kind,
  type,
  engine: type,
  workloads: { master: 'demo-master', worker: 'demo-worker', fuse: 'demo-fuse' },
});
