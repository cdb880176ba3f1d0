import type { Settled } from './options.ts';

/** Which pods the API server asks about: those with one of these labels, and no others. */
export function webhookEntries({ failurePolicy, platformLabel }: Settled['webhook']) {
  const isTrue = (key: string) => ({ matchLabels: { [key]: 'true' }, matchExpressions: unlessDone });
  return [
    // Fluid's failure policy: no pod that asks for a sidecar starts without it.
    { name: 'sidecar.fuse.fluid.io', objectSelector: isTrue('serverless.fluid.io/inject'), failurePolicy },
    // Fluid honours the older label too, but its configuration does not select it.
    { name: 'older.sidecar.fuse.fluid.io', objectSelector: isTrue('fuse.sidecar.fluid.io/inject'), failurePolicy },
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
    { name: 'fuse.serverful.fluid.io', objectSelector: isTrue('fuse.serverful.fluid.io/inject'), failurePolicy: 'Ignore' },
  ];
}

const unlessDone = [
  { key: 'done.sidecar.fluid.io/inject', operator: 'NotIn', values: ['true'] },
  { key: 'fluid.io/enable-injection', operator: 'NotIn', values: ['false'] },
];
