import type { Runtime } from '../../constructs/contract.ts';
import { settled } from '../../install/index.ts';

/** The types of runtimes that have daemons on nodes. */
export const daemonTypes = (runtimes: readonly Runtime[]): readonly string[] =>
  runtimes
    .map(({ type }) => type)
    .filter((type) =>
      runtimes.some((runtime) => runtime.type === type && runtime.install({ ...settled({ daemons: [type] }, ''), env: {} }).length > 0),
    );
