import { type CacheUse, cacheTexts, type Cleanup, type EngineStatus, env, type Probe, type Observation, sh } from '@sluice-data/sluice';
import type { MooseFSPlan } from './plan.ts';

/** Bytes on the chunk servers, copies included. */
export const cache: Probe<MooseFSPlan, CacheUse> = {
  commands: ({ directory }) => [{ in: 'worker', on: 'every', argv: ['sh', '-c', sh`du -sk ${directory}/${env('HOSTNAME')}/chunks`] }],
  parse: ([answers = []]) => ({
    cachedBytes: answers.reduce((sum, answer) => {
      const kilobytes = Number.parseInt(answer, 10);
      if (Number.isNaN(kilobytes)) throw new Error(`du prints no size: ${answer}`);
      return sum + kilobytes * 1024;
    }, 0),
  }),
};

export const status = (_: MooseFSPlan, { cache: found }: Observation): EngineStatus => ({ cacheStates: cacheTexts(undefined, found) });

/** Metadata and chunks outlive pods in directories of the nodes. */
export const cleanup: Cleanup<MooseFSPlan> = {
  commands: ({ directory }) =>
    (['worker', 'master'] as const).map((role) => ({ in: role, on: 'every', argv: ['rm', '-rf', directory] }) as const),
};
