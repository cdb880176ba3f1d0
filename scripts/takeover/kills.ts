/** The points at which moves are killed, from a seed. */
import { createRandom } from '../../test/simulation/random.ts';
import type { Command } from './rounds.ts';

export interface Kill {
  readonly command: 'go' | 'back';
  /** The command ends once it has printed so many lines. */
  readonly line: number;
  /** The program that is killed with it, if it runs: one of those that the beginning of the pod's name says. */
  readonly program: string;
}

/** No webhook: the request that one has when it is killed fails in any case. */
const PROGRAMS = ['sluice-controller', 'dataset-controller', 'thinruntime-controller', 'juicefsruntime-controller'];

/** @param lines how many lines each command prints when it is not killed */
export function killsOf(seed: number, count: number, lines: Readonly<Partial<Record<Command, number>>>): readonly Kill[] {
  const random = createRandom(`kills ${seed}`);
  return Array.from({ length: count }, (_, i): Kill => {
    const command = i % 2 === 0 ? 'go' : 'back';
    const line = random.int(1, Math.max(1, (lines[command] ?? 20) - 3));
    return { command, line, program: random.pick(PROGRAMS) };
  });
}
