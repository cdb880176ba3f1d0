/** Processes that are killed while a cluster moves, drawn from a seed. */
import { createRandom } from '../../test/simulation/random.ts';
import type { RealNode } from '../index.ts';

/** One kill: which process is decided when it is time. */
export interface Kill {
  /** The number of the move, there or back, from 0. */
  readonly move: number;
  /** After so many lines of the command's output. */
  readonly line: number;
  /** After that line, ms. */
  readonly delayMs: number;
  /** Whether it is the command itself. */
  readonly isCommand: boolean;
  /** Which one of the others, 0 to 1. */
  readonly among: number;
}

/** The command prints at least so many lines. */
const LINES = 25;

export function drawKills(seed: number, count: number, moves: number): readonly Kill[] {
  const random = createRandom(`kills ${seed}`);
  return Array.from({ length: count }, (_, index) => ({
    move: Math.floor((index * moves) / count),
    line: random.int(1, LINES),
    delayMs: random.int(0, 1500),
    isCommand: random.chance(1 / 3),
    among: random.next(),
  }));
}

/** Each the beginning of a command line on the node. */
const VICTIMS = [
  'dataset-controller start',
  'thinruntime-controller start',
  'juicefsruntime-controller start',
  'alluxioruntime-controller start',
  'fluid-webhook start',
  'fluid-csi start',
  '/csi-node-driver-registrar ',
  '/usr/bin/node /opt/sluice/.* reconcile ',
  '/usr/bin/node /opt/sluice/.* csi ',
  '/usr/bin/node /opt/sluice/.* webhook ',
];

/** Kills one of the controllers, webhooks and plugins that run; returns its command line. */
export async function killOne(node: RealNode, { among }: Kill): Promise<string> {
  // pgrep ends with 1 if it finds none.
  const found = await node.run('sh', '-c', 'pgrep -af "$1" || :', 'sh', `^(${VICTIMS.join('|')})`);
  const living = found.trim().split('\n').filter(Boolean);
  const line = living[Math.floor(among * living.length)];
  if (line === undefined) return 'none runs';
  const [pid = '', ...words] = line.split(' ');
  // The process may have ended by itself meanwhile.
  await node.run('sh', '-c', 'kill -KILL "$1" || :', 'sh', pid);
  return words.join(' ').slice(0, 60);
}
