import { ask, sidecar } from '../api/sidecars.ts';
import type { Settled } from './options.ts';

/** Which pods the API server asks about: those with one of these labels, and no others. */
export function webhookEntries({ failurePolicy, platformLabel }: Settled['webhook']) {
  const isTrue = (key: string) => ({ matchLabels: { [key]: 'true' }, matchExpressions: unlessDone });
  return [
    // Fluid's failure policy: no pod that asks for a sidecar starts without it.
    { name: 'sidecar.fuse.fluid.io', objectSelector: isTrue(ask.serverless), failurePolicy },
    // Fluid honours the older label too, but its configuration does not select it.
    { name: 'older.sidecar.fuse.fluid.io', objectSelector: isTrue(ask.fuseSidecar), failurePolicy },
    ...(platformLabel === undefined
      ? []
      : [
          {
            name: 'platform.sidecar.fuse.fluid.io',
            objectSelector: { matchExpressions: [{ key: platformLabel, operator: 'Exists' }, ...unlessDone] },
            failurePolicy,
          },
        ]),
    // Unlike in Fluid: a hint for the scheduler is no reason to hold a pod up.
    { name: 'fuse.serverful.fluid.io', objectSelector: isTrue(ask.serverful), failurePolicy: 'Ignore' },
  ];
}

const unlessDone = [
  { key: sidecar.done, operator: 'NotIn', values: ['true'] },
  { key: ask.injection, operator: 'NotIn', values: ['false'] },
];
