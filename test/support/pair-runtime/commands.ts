import { bytesText } from '../../../src/api/index.ts';
import {
  type Cleanup,
  type Command,
  type MountRow,
  type MountTable,
  type Probe,
  type Observation,
  sh,
} from '../../../src/constructs/index.ts';
import type { EngineStatus, UfsUsage } from '../../../src/constructs/index.ts';
import type { PairPlan } from './plan.ts';

const container = 'pairfs-master';
const atLeader = (...argv: readonly string[]): Command => ({ in: 'master', on: 'leader', container, argv });
const firstLine = (answers: readonly (readonly string[])[]): string => answers[0]?.[0]?.split('\n')[0] ?? '';

function numberIn(answers: readonly (readonly string[])[]): number {
  const [digits] = /^\d+$/.exec(firstLine(answers)) ?? [];
  if (digits === undefined) throw new Error(`expected a number, found: ${firstLine(answers)}`);
  return Number(digits);
}

/** `pairfs leader` prints the name of the pod, or nothing. */
export const leader: Probe<PairPlan, string | undefined> = {
  commands: () => [{ in: 'master', on: 'one', container, argv: ['pairfs', 'leader'] }],
  parse: (answers) => firstLine(answers) || undefined,
};

/** Each command starts a program that takes seconds to start: one script does them all. */
export const mounts: MountTable<PairPlan, Required<Pick<MountRow, 'path' | 'source'>>> = {
  list: {
    commands: () => [atLeader('pairfs', 'mounts')],
    parse: ([pods]) => {
      const lines = (pods?.[0] ?? '').split('\n').filter(Boolean);
      return lines.map((line) => {
        const [path = '', source = ''] = line.split(' ');
        return { path, source };
      });
    },
  },
  wanted: (plan) => plan.mounts,
  change: (_, { unmount, mount }) => {
    const lines = [
      ...unmount.map((path) => sh`pairfs unmount ${path}`),
      ...mount.map(({ path, source }) => sh`pairfs mount ${path} ${source}`),
    ];
    return [atLeader('sh', '-c', ['set -e', ...lines].join('\n'))];
  },
};

/** A counter that only grows, of which the growth is reported. */
export interface PairUse {
  readonly readBytes: number;
  readonly bytesPerSecond?: number;
}
export const use: Probe<PairPlan, PairUse> = {
  commands: () => [atLeader('pairfs', 'counters')],
  parse(answers, _, before) {
    const readBytes = numberIn(answers);
    return { readBytes, ...(before && { bytesPerSecond: (readBytes - before.value.readBytes) / (before.ageMs / 1000) }) };
  },
};
export const ufs: Probe<PairPlan, UfsUsage> = {
  commands: () => [atLeader('pairfs', 'count')],
  parse: (answers) => ({ totalBytes: numberIn(answers) }),
};

export const status = ({ workloads, namespace }: PairPlan, { cache }: Observation<PairUse>): EngineStatus => ({
  cacheStates: { cached: cache ? bytesText(cache.readBytes) : '', throughput: cache ? `${cache.bytesPerSecond ?? 0} B/s` : '' },
  hcfs: { endpoint: `pairfs://${workloads.master}.${namespace}:8101`, ...(cache && { underlayerFileSystemVersion: '3.3' }) },
  apiGateway: { endpoint: `${workloads.master}.${namespace}:8080` },
});

export const cleanup: Cleanup<PairPlan> = { commands: () => [{ in: 'master', on: 'leader', container, argv: ['pairfs', 'free'] }] };
