/** DataMigrate in the frame: one or two Datasets, helping pods and keys for a run, and the phase of the Datasets. */
import { createPublicKey } from 'node:crypto';
import type { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import type { DataMigrateSpec } from '../../../src/api/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import { type BasePlan, basePlan, defineRuntime, type Operation, OperationJob, ownedByOperation } from '../../../src/constructs/index.ts';
import { operationNames } from '../../../src/constructs/operation-names.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { ExampleRuntime } from '../../support/example-runtime/spec.ts';
import { datasetObject, thinRuntime } from '../../support/objects.ts';
import { type Harness, harness } from '../harness.ts';
import { WRITES } from '../../../src/api-server/index.ts';
import { annotated, ended, eventsOf, statusOf } from './given.ts';

/** An engine whose migrations have helping pods that reach each other by SSH. */
class Moving extends OperationJob {
  static needs = ({ spec }: { readonly spec: DataMigrateSpec }) => ({ sshKeys: (spec.parallelism ?? 1) > 1 });
  constructor(scope: Construct, plan: BasePlan, migrate: Operation<'DataMigrate'>) {
    const { facts, spec } = migrate;
    const names = operationNames(migrate);
    const env = [{ name: 'DATASETS', value: JSON.stringify(Object.keys(facts.datasets ?? {}).toSorted()) }];
    super(scope, plan, migrate, { containers: [{ name: 'main', image: 'i:1', env }] });
    if (!facts.sshKeys) return;
    const stringData = { 'ssh-privatekey': facts.sshKeys.privateKey, 'ssh-publickey': facts.sshKeys.publicKey };
    const data = Object.fromEntries(Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
    ownedByOperation(this, plan, migrate, { apiVersion: 'v1', kind: 'Secret', name: names.sshKeys, data });
    const labels = { app: `${names.release}-workers` };
    ownedByOperation(this, plan, migrate, {
      apiVersion: 'v1',
      kind: 'Service',
      name: `${names.release}-workers`,
      spec: { clusterIP: 'None', selector: labels },
    });
    ownedByOperation(this, plan, migrate, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      name: `${names.release}-workers`,
      spec: {
        replicas: facts.isIdle ? 0 : (spec.parallelism ?? 1) - 1,
        serviceName: `${names.release}-workers`,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'worker', image: 'i:1' }] } },
      },
    });
  }
}
const moving = defineRuntime({
  type: 'example',
  resource: ExampleRuntime,
  plan: (input) => basePlan(input, { mountType: 'fuse', mountDir: 'example-fuse' }),
  components: {},
  operations: { DataMigrate: Moving },
});

const storage = { externalStorage: { uri: 's3://archive/images' } };
const data = (name: string) => ({ dataset: { name, namespace: '' } });
const migrate = (name: string, spec: Partial<DataMigrateSpec>): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataMigrate',
  metadata: { name },
  spec: { from: storage, to: data('a'), ...spec },
});
async function bound(...names: readonly string[]): Promise<Harness> {
  const at = await harness({ runtimes: [moving, thin] });
  for (const name of names) {
    at.put(datasetObject(name, { mounts: [{ mountPoint: 'example://x' }] }));
    at.put({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'ExampleRuntime', metadata: { name }, spec: {} });
  }
  await at.quiet();
  for (const name of names) expect(at.dataset(name).phase).toBe('Bound');
  at.forget();
  return at;
}
const phases = (at: Harness, ...names: readonly string[]) => names.map((name) => at.dataset(name).phase);
const status = (at: Harness, name: string) => statusOf(at, name, 'DataMigrate');
const reason = (at: Harness, name: string) => status(at, name).conditions?.[0]?.reason;
const message = (at: Harness, name: string) => status(at, name).conditions?.[0]?.message;

describe('both Datasets', () => {
  test('are in phase DataMigrating with the operation’s name while it runs, and Bound without it after that', async () => {
    const at = await bound('a', 'b');
    at.put(migrate('m', { from: data('b'), to: data('a') }));
    await at.quiet();
    expect(status(at, 'm').phase).toBe('Executing');
    expect(phases(at, 'a', 'b')).toEqual(['DataMigrating', 'DataMigrating']);
    expect(['a', 'b'].map((name) => at.dataset(name).operationRef)).toEqual([{ DataMigrate: 'm' }, { DataMigrate: 'm' }]);
    const [job] = at.server.all('Job');
    expect(JSON.stringify(job)).toContain(String.raw`[\"a\",\"b\"]`);
    expect(job?.metadata.labels?.['targetDataset']).toBe('a');
    await ended(at, 'Succeeded', '', 'm');
    expect([status(at, 'm').phase, ...phases(at, 'a', 'b')]).toEqual(['Complete', 'Bound', 'Bound']);
    expect(at.dataset('b').operationRef).toBeUndefined();
  });
  test('that is already so is not called Bound by a controller that restarts, nor kept so after the end', async () => {
    const at = await bound('a');
    at.put(migrate('m', {}));
    await at.quiet();
    at.kill();
    await at.restart();
    await at.quiet();
    expect(phases(at, 'a')).toEqual(['DataMigrating']);
    at.delete('DataMigrate', 'm');
    await at.quiet();
    expect(phases(at, 'a')).toEqual(['Bound']);
  });
  test('are held: a migration of either waits its turn, in the order of creation', async () => {
    const at = await bound('a', 'b', 'c');
    for (const [name, from, to] of [
      ['ab', 'a', 'b'],
      ['bc', 'b', 'c'],
      ['c', undefined, 'c'],
      ['a', 'a', undefined],
    ] as const) {
      at.put(migrate(name, { from: from ? data(from) : storage, to: to ? data(to) : storage }));
      await at.advance(1000);
    }
    await at.quiet();
    expect(['ab', 'bc', 'c', 'a'].map((name) => status(at, name).phase)).toEqual(['Executing', 'Pending', 'Pending', 'Pending']);
    expect(message(at, 'bc')).toBe('number 2 in line for Datasets c and b: DataMigrate ab runs');
    expect(message(at, 'c')).toBe('number 2 in line for Dataset c: DataMigrate bc is next');
    await ended(at, 'Succeeded', '', 'ab');
    expect(['bc', 'c', 'a'].map((name) => status(at, name).phase)).toEqual(['Executing', 'Pending', 'Executing']);
    await ended(at, 'Succeeded', '', 'bc');
    expect(status(at, 'c').phase).toBe('Executing');
  });
  test('have to exist and to be bound', async () => {
    const at = await bound('a');
    at.put(migrate('m', { from: data('late') }));
    await at.quiet();
    expect([reason(at, 'm'), message(at, 'm')]).toEqual(['TargetDatasetNotFound', 'no Dataset is called late in namespace ml']);
    at.put(datasetObject('late', { mounts: [{ mountPoint: 'example://x' }] }));
    await at.quiet();
    expect([reason(at, 'm'), message(at, 'm')]).toEqual(['RuntimeNotReady', 'Dataset late is not bound']);
    at.put({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'ExampleRuntime', metadata: { name: 'late' }, spec: {} });
    await at.quiet();
    expect(status(at, 'm').phase).toBe('Executing');
  });
  test('are of its own namespace; all faults are reported at once', async () => {
    const at = await bound('a');
    const elsewhere = { dataset: { name: 'a', namespace: 'default' } };
    at.put(migrate('m', { from: elsewhere, to: elsewhere, parallelOptions: { sshPort: '0' } }));
    await at.quiet();
    expect([status(at, 'm').phase, reason(at, 'm')]).toEqual(['Failed', 'TargetDatasetNamespaceNotSame']);
    for (const field of ['spec.to.dataset.namespace', 'spec.from.dataset.namespace', 'spec.parallelOptions.sshPort'])
      expect(message(at, 'm')).toContain(field);
    expect(phases(at, 'a')).toEqual(['Bound']);
    expect(eventsOf(at, 'DataMigrate')).toEqual(['TargetDatasetNamespaceNotSame']);
  });
  test('keep their phase when a migration fails, or is deleted, without having run', async () => {
    const at = await bound('a');
    at.put(datasetObject('unbound', { mounts: [{ mountPoint: 'example://x' }] }));
    at.put(migrate('invalid', { to: data('unbound'), parallelOptions: { sshPort: 'x' } }));
    at.put(migrate('waits', { to: data('unbound') }));
    await at.quiet();
    const before = phases(at, 'a', 'unbound');
    at.delete('DataMigrate', 'invalid');
    at.delete('DataMigrate', 'waits');
    await at.quiet();
    expect(phases(at, 'a', 'unbound')).toEqual(before);
    expect(at.dataset('unbound').phase).not.toBe('Bound');
  });
  test('need one runtime between them that can do the work; runtimeType says which of two does', async () => {
    const at = await bound('a', 'b');
    at.put(datasetObject('plain', { mounts: [{ mountPoint: 's3://bucket', name: 'data' }] }));
    at.put(thinRuntime('plain', { profileName: 'profile' }));
    await at.quiet();
    at.put(migrate('m', { from: data('a'), to: data('plain') }));
    await at.quiet();
    expect([status(at, 'm').phase, at.get('Job', 'm-migrate-migrate')?.metadata.labels?.['targetDataset']]).toEqual(['Executing', 'a']);
    at.put(migrate('n', { from: data('b'), to: data('plain'), runtimeType: 'thin' }));
    await ended(at, 'Succeeded', '', 'm');
    expect([reason(at, 'n'), message(at, 'n')]).toEqual([
      'DataOperationNotSupport',
      'DataMigrate ml/n: the runtime of Dataset plain is of kind ThinRuntime, which does not support DataMigrate',
    ]);
  });
  test('may not both be missing', async () => {
    const at = await bound('a');
    at.put(migrate('m', { to: storage }));
    at.put(migrate('n', { from: {}, to: data('a') }));
    await at.quiet();
    expect(message(at, 'm')).toBe('DataMigrate ml/m: spec: expected a dataset in from or to, whose runtime does the work, found none');
    expect(message(at, 'n')).toBe('DataMigrate ml/n: spec.from: expected a dataset or an externalStorage, found neither');
  });
});

describe('what serves a run only', () => {
  const SPEC = { parallelism: 3 };
  const helpers = (at: Harness) =>
    ['Secret', 'Service', 'StatefulSet'].flatMap((kind) =>
      at.server.all(kind).filter(({ metadata }) => metadata.name.startsWith('m-migrate')),
    );
  const replicas = (at: Harness) =>
    (at.get('StatefulSet', 'm-migrate-workers') as (KubeObject & { spec: { replicas: number } }) | undefined)?.spec.replicas;

  test('is deleted at its end, keys first, once the operation is complete', async () => {
    const at = await bound('a');
    at.put(migrate('m', SPEC));
    await at.quiet();
    expect(helpers(at).map(({ kind }) => kind)).toEqual(['Secret', 'Service', 'StatefulSet']);
    const keys = at.get('Secret', 'm-migrate-ssh-keys')?.['data'] as Record<string, string>;
    expect(createPublicKey(Buffer.from(keys['ssh-privatekey'] ?? '', 'base64')).asymmetricKeyType).toBe('ec');
    at.forget();
    await ended(at, 'Succeeded', '', 'm');
    expect(helpers(at)).toEqual([]);
    const writes = at.written().filter((write) => /m-migrate|DataMigrate\/m/.test(write));
    expect(writes.slice(0, 2)).toEqual(['patch DataMigrate/m/status', 'delete Secret/m-migrate-ssh-keys']);
    expect(status(at, 'm').phase).toBe('Complete');
  });
  test.each([0, 1, 2, 3])('is deleted by the next process, if one is killed at write %d of the end', async (diesAt) => {
    const at = await bound('a');
    at.put(migrate('m', SPEC));
    await at.quiet();
    let writes = 0;
    const rule = at.server.rules.add(
      { verb: WRITES },
      {
        before() {
          if (writes++ !== diesAt) return;
          at.kill();
          throw new Error('killed');
        },
      },
    );
    await ended(at, 'Succeeded', '', 'm');
    rule.remove();
    expect(writes).toBeGreaterThan(diesAt);
    await at.restart();
    await at.quiet();
    expect([status(at, 'm').phase, helpers(at)]).toEqual(['Complete', []]);
    expect(at.server.all('Job')).toHaveLength(1);
  });
  test('keeps its keys through passes that are repeated', async () => {
    const at = await bound('a');
    const refused = at.server.rules.refuse({ verb: 'create', kind: 'Job' }, { status: 500, reason: 'InternalError' });
    at.put(migrate('m', SPEC));
    await at.advance(2000);
    const before = at.get('Secret', 'm-migrate-ssh-keys')?.['data'];
    refused.remove();
    await at.quiet();
    expect(before).toBeDefined();
    expect(at.get('Secret', 'm-migrate-ssh-keys')?.['data']).toEqual(before);
    expect(status(at, 'm').phase).toBe('Executing');
  });
  test.each(['current', 'behind'])('is made anew when the operation is retried; the watch of StatefulSets is %s', async (watch) => {
    const at = await bound('a');
    at.put(migrate('m', SPEC));
    await at.quiet();
    const before = at.get('Secret', 'm-migrate-ssh-keys')?.['data'];
    if (watch === 'behind') at.server.hold('StatefulSet');
    for (let i = 0; i < 4; i++) await ended(at, 'Failed', '', 'm');
    expect([status(at, 'm').phase, helpers(at)]).toEqual(['Failed', []]);
    annotated(at, 'm', { 'data.fluid.io/retry': '1' }, 'DataMigrate');
    await at.quiet();
    expect([status(at, 'm').phase, replicas(at)]).toEqual(['Executing', 2]);
    at.server.release('StatefulSet');
    await at.quiet();
    expect([status(at, 'm').phase, replicas(at)]).toEqual(['Executing', 2]);
    expect(at.get('Secret', 'm-migrate-ssh-keys')?.['data']).not.toEqual(before);
  });
  test('is deleted also if Fluid created it, and was stopped meanwhile', async () => {
    const at = await bound('a');
    at.kill();
    const { metadata } = at.put({
      ...migrate('m', SPEC),
      status: { phase: 'Executing', duration: 'Unfinished', conditions: [] },
    } as KubeObject);
    const ownerReferences = [
      { apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataMigrate', name: 'm', uid: metadata.uid ?? '', controller: true },
    ];
    const template = { metadata: { labels: { app: 'w' } }, spec: { containers: [{ name: 'c', image: 'i:1' }], restartPolicy: 'Never' } };
    for (const [apiVersion, kind, name, spec] of [
      ['batch/v1', 'Job', 'm-migrate-migrate', { template }],
      [
        'apps/v1',
        'StatefulSet',
        'm-migrate-workers',
        {
          replicas: 2,
          selector: { matchLabels: { app: 'w' } },
          template: { ...template, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
        },
      ],
      ['v1', 'Service', 'm-migrate-workers', { clusterIP: 'None' }],
    ] as const)
      at.put({ apiVersion, kind, metadata: { name, ownerReferences }, spec } as KubeObject);
    await at.settle();
    await at.restart();
    await at.quiet();
    expect(helpers(at)).toHaveLength(2);
    await ended(at, 'Succeeded', '', 'm');
    expect([status(at, 'm').phase, helpers(at)]).toEqual(['Complete', []]);
  });
  test('leaves a Secret of its user alone that has the name of its keys', async () => {
    const at = await bound('a');
    at.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'm-migrate-ssh-keys' }, data: { mine: 'eA==' } });
    at.put(migrate('m', SPEC));
    await at.quiet();
    expect([reason(at, 'm'), at.get('Secret', 'm-migrate-ssh-keys')?.['data']]).toEqual(['NameTaken', { mine: 'eA==' }]);
    at.delete('DataMigrate', 'm');
    await at.quiet();
    expect(at.get('Secret', 'm-migrate-ssh-keys')?.['data']).toEqual({ mine: 'eA==' });
  });
  test('has pods only while a Job of the schedule runs', async () => {
    const at = await bound('a');
    at.put(migrate('m', { ...SPEC, policy: 'Cron', schedule: '0 3 * * *' }));
    await at.quiet();
    expect(replicas(at)).toBe(0);
    const cron = at.get('CronJob', 'm-migrate-migrate') as KubeObject & { spec: { jobTemplate: { metadata: object; spec: object } } };
    const { apiVersion, kind, metadata, spec } = cron;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }];
    at.put({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...spec.jobTemplate.metadata, name: 'm-migrate-migrate-1', ownerReferences },
      spec: spec.jobTemplate.spec,
    });
    await at.quiet();
    expect([status(at, 'm').phase, replicas(at), ...phases(at, 'a')]).toEqual(['Executing', 2, 'DataMigrating']);
    await ended(at, 'Succeeded', '', 'm');
    expect([status(at, 'm').phase, replicas(at), ...phases(at, 'a')]).toEqual(['Complete', 0, 'Bound']);
  });
});

test('a deletion that waits for the ended pod of a migration of another Dataset names the migration', async () => {
  const at = await bound('a', 'b');
  at.put(migrate('m', { from: { externalStorage: { uri: 'pvc://b' } } }));
  await at.quiet();
  const [{ metadata, spec } = never()] = at.server.all('Pod').filter((pod) => pod.metadata.name.startsWith('m-migrate-migrate-'));
  const volumes = [{ name: 'b', persistentVolumeClaim: { claimName: 'b' } }];
  const { labels = {}, ownerReferences = [] } = metadata;
  at.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'm-of-b', labels, ownerReferences },
    spec: { ...(spec as object), volumes },
    status: { phase: 'Succeeded' },
  });
  await ended(at, 'Succeeded', '', 'm');
  at.delete('Dataset', 'b');
  await at.quiet();
  const kept = `; pods that have ended keep it until they are deleted: m-of-b of DataMigrate m`;
  expect(at.conditions('ExampleRuntime', 'b')['Synced']).toContain(
    `False ClaimKept: deleting the claim first: PersistentVolumeClaim/b${kept}`,
  );
  at.delete('DataMigrate', 'm');
  await at.quiet();
  expect(at.get('Dataset', 'b')).toBeUndefined();
});

const never = (): never => {
  throw new Error('expected a pod of the Job, found none');
};
