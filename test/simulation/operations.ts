import type { KubeObject } from '../../src/kube/types.ts';
import type { Cast } from './casts.ts';
import type { Happening } from './plan.ts';
import type { Random } from './random.ts';

/** Operations on a Dataset, and what their users do with them. */
export function operationsOn(cast: Cast, random: Random, busyMs: number): readonly Happening[] {
  const happenings: Happening[] = [];
  const count = random.pick([0, 0, 1, 2, 3]);
  for (let i = 0; i < count; i++) {
    const kind = random.pick(['DataLoad', 'DataLoad', 'DataProcess', 'DataMigrate', 'DataBackup'] as const);
    const name = random.chance(0.8) ? `op-${i}` : 'op-0';
    const operation = operationOf(kind, name, cast, random);
    const atMs = random.int(0, busyMs / 2);
    happenings.push({ atMs, does: 'create', object: operation });
    const { namespace } = cast;
    const then = (ms: number) => atMs + random.int(0, ms);
    const annotate = (annotations: object) => ({ does: 'edit', kind, namespace, name, patch: { metadata: { annotations } } }) as const;
    if (random.chance(0.2))
      happenings.push({ atMs: then(busyMs / 2), ...annotate({ 'data.fluid.io/retry': `again-${random.int(1, 3)}` }) });
    if (random.chance(0.2)) {
      const from = then(busyMs / 3);
      happenings.push({ atMs: from, ...annotate({ 'data.fluid.io/paused': 'true' }) });
      if (random.chance(0.8)) happenings.push({ atMs: from + random.int(0, 8000), ...annotate({ 'data.fluid.io/paused': null }) });
    }
    if (random.chance(0.2)) {
      const from = then(busyMs / 2);
      happenings.push({ atMs: from, does: 'delete', kind, namespace, name });
      if (random.chance(0.5)) happenings.push({ atMs: from + random.int(0, 5000), does: 'create', object: operation });
    }
  }
  return happenings;
}

function operationOf(kind: string, name: string, cast: Cast, random: Random): KubeObject {
  const { namespace } = cast;
  const dataset = random.chance(0.95) ? cast.name : 'nowhere';
  const when = random.pick([
    {},
    {},
    {},
    { policy: 'Cron', schedule: '*/5 * * * *' },
    { policy: 'OnEvent' },
    { ttlSecondsAfterFinished: random.pick([0, 20]) },
    { runAfter: { kind: 'DataLoad', name: 'op-0' } },
  ]);
  return {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind,
    metadata: { namespace, name },
    spec: { ...specOf(kind, dataset, namespace, random), ...when },
  };
}

function specOf(kind: string, dataset: string, namespace: string, random: Random): object {
  switch (kind) {
    case 'DataLoad':
      return { dataset: { name: dataset, namespace }, ...(random.chance(0.3) && { target: [{ path: '/train', replicas: 1 }] }) };
    case 'DataProcess':
      return {
        dataset: { name: dataset, mountPath: '/data' },
        processor: { script: { image: 'busybox', imageTag: '1', command: ['sh'], source: 'ls /data' } },
      };
    case 'DataMigrate':
      return {
        from: { externalStorage: { uri: 's3://elsewhere/' } },
        to: { dataset: { name: dataset, namespace } },
        ...(random.chance(0.3) && { parallelism: 2 }),
      };
    default:
      return { dataset, backupPath: 'pvc://backups/demo' };
  }
}
