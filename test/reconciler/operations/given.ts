import { expect } from 'vitest';
import type { DataBackupSpec, DataLoadSpec, DataProcessSpec, OperationStatus } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../support/objects.ts';
import { type Harness, harness, type HarnessOptions } from '../harness.ts';
import { ownStatus } from '../../support/own-status.ts';

/** The Job of DataLoad `warm`. */
export const JOB = 'warm-loader-job';
export const ON_DEMO = { dataset: { name: 'demo' } };
type Mount = Readonly<Record<string, unknown>>;
/** The mount of Dataset `demo`. */
export const [MOUNT] = (jfsDataset('demo')['spec'] as { mounts: [Mount] }).mounts;
export const load = (spec: DataLoadSpec = { dataset: { name: 'demo', namespace: 'ml' } }, name = 'warm'): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataLoad',
  metadata: { name },
  spec,
});
export const process = (spec: Partial<DataProcessSpec> = {}, name = 'op'): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataProcess',
  metadata: { name },
  spec: {
    dataset: { name: 'demo', mountPath: '/data' },
    processor: { script: { image: 'busybox', imageTag: '1', command: ['sh'], source: 'ls /data' } },
    ...spec,
  },
});
export const backup = (spec: DataBackupSpec = {}, name = 'op'): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataBackup',
  metadata: { name },
  spec: { dataset: 'demo', backupPath: 'pvc://backups/demo', ...spec },
});
type Kind = 'DataLoad' | 'DataMigrate' | 'DataProcess' | 'DataBackup';
export const statusOf = (at: Harness, name = 'warm', kind: Kind = 'DataLoad') => ownStatus<OperationStatus>(at.get(kind, name));
export const reasonOf = (at: Harness, name = 'warm') => statusOf(at, name).conditions?.[0]?.reason;
export const uidOf = (at: Harness) => at.get('Job', JOB)?.metadata.uid;
export const eventsOf = (at: Harness, kind: Kind = 'DataLoad') =>
  at.events.filter(({ regarding }) => regarding.kind === kind).map(({ reason }) => reason);

/** A bound Dataset `ml/demo` with a worker. */
export async function bound(options: HarnessOptions = {}): Promise<Harness> {
  const at = await harness(options);
  at.put(jfsSecret());
  at.put(jfsDataset('demo'));
  at.put(jfsRuntime('demo'));
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  at.forget();
  return at;
}
/** The same with a DataLoad that runs. */
export async function running(object: KubeObject = load()): Promise<Harness> {
  const at = await bound();
  at.put(object);
  await at.quiet();
  expect(statusOf(at).phase).toBe('Executing');
  return at;
}
/** As `kubectl annotate --overwrite`; undefined removes. */
export function annotated(at: Harness, name: string, annotations: Readonly<Record<string, string | undefined>>, kind: Kind = 'DataLoad') {
  const { metadata, ...object } = at.get(kind, name) as KubeObject;
  const { resourceVersion: _, ...rest } = metadata;
  const all = Object.entries({ ...metadata.annotations, ...annotations }).filter(([, value]) => value !== undefined);
  // The cast: those without a value were left out.
  at.put({ ...object, metadata: { ...rest, annotations: Object.fromEntries(all) as Record<string, string> } });
}
/** Ends the pod of the Job that runs. */
export async function ended(at: Harness, phase: 'Succeeded' | 'Failed', message = '', name = 'warm', controller: 'runs' | 'dead' = 'runs') {
  const job = new RegExp(`^${name}-(loader-job|processor-job|migrate-migrate|pod)-`);
  const pod = at.server.all('Pod').find((each) => job.test(each.metadata.name) && phaseOf(each) === 'Running');
  if (!pod) throw new Error('expected a pod of the Job that runs, found none');
  const terminated = { exitCode: phase === 'Failed' ? 3 : 0, message, finishedAt: new Date().toISOString() };
  const [{ name: container }] = (pod['spec'] as { containers: readonly [{ readonly name: string }] }).containers;
  at.put({ ...pod, status: { phase, containerStatuses: [{ name: container, state: { terminated } }] } } as KubeObject);
  await (controller === 'runs' ? at.quiet() : at.settle());
}
const phaseOf = (pod: KubeObject): unknown => (pod['status'] as { phase?: string } | undefined)?.phase;

type WriteOfRerun = readonly ['delete' | 'patch' | 'create', 'Job' | 'DataLoad', 'status' | undefined, 'hold' | 'holdAnswers'];
/** The writes of another run, in their order, each cut off before the server has it, or before its answer comes back. */
export const writesOfRerun: readonly WriteOfRerun[] = (
  [
    ['delete', 'Job', undefined],
    ['patch', 'DataLoad', 'status'],
    ['create', 'Job', undefined],
  ] as const
).flatMap((write) => [[...write, 'hold'] as const, [...write, 'holdAnswers'] as const]);
/** Kills the process at such a write of what `act` leads to, and starts another one. */
export async function killedAtWrite(at: Harness, [verb, kind, subresource, how]: WriteOfRerun, act: () => Promise<void>): Promise<void> {
  const held = at.server.rules[how]({ verb, kind, ...(subresource && { subresource }) });
  await act();
  expect(held.waiting).toBe(1);
  at.kill();
  held.release();
  await at.restart();
}
