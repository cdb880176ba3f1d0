import { ask, sidecar } from '../api/sidecars.ts';
import { GROUP, operationKinds, VERSION } from '../api/index.ts';
import type { Runtime } from '../constructs/index.ts';
import type { Settled } from './settled.ts';

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

/** The API server must not wait long for advice. */
const VALIDATION_SECONDS = 3;

/** The one entry about objects of Sluice's kinds: those of users, whom only faults of their own hold up. */
export function validationEntry(runtimes: readonly Runtime[]) {
  const all = (scope: string, resources: readonly string[]) => ({
    apiGroups: [GROUP],
    apiVersions: [VERSION],
    operations: ['CREATE', 'UPDATE'],
    // Not their status, which is the controller's.
    resources: [...new Set(resources)],
    scope,
  });
  const companions = runtimes.flatMap((runtime) => runtime.companions);
  const of = (isNamespaced: boolean) => companions.filter(({ namespaced }) => namespaced === isNamespaced).map(({ plural }) => plural);
  const named = ['datasets', ...runtimes.map(({ resource }) => resource.plural), ...operationKinds.map(({ plural }) => plural)];
  return {
    name: 'validate.data.fluid.io',
    failurePolicy: 'Ignore',
    timeoutSeconds: VALIDATION_SECONDS,
    rules: [all('Namespaced', [...named, ...of(true)]), ...(of(false).length > 0 ? [all('Cluster', of(false))] : [])],
  };
}
