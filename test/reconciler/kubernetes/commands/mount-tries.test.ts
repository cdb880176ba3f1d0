import { expect, test } from 'vitest';
import alluxio from '../../../../runtimes/alluxio/index.ts';
import thin from '../../../../runtimes/thin/index.ts';
import type { DatasetSpec, Mount } from '../../../../src/api/index.ts';
import type { PodExec } from '../../../../src/kube/exec.ts';
import { type AlluxioFileSystem, alluxioFileSystem } from '../../../support/alluxio-exec.ts';
import * as write from '../../../support/objects.ts';
import { type Harness, harness } from '../../harness.ts';

const RUNTIME = 'AlluxioRuntime';
const HUSH = 'hush-hush';
const data: Mount = {
  mountPoint: 's3://bucket/data',
  name: 'data',
  options: { region: 'eu' },
  encryptOptions: [{ name: 's3a.secretKey', valueFrom: { secretKeyRef: { name: 'minio', key: 'key' } } }],
};
const other: Mount = { mountPoint: 's3://other', name: 'other' };

/**
 * A runtime whose mounts succeed, and are listed as `shows` says; each command takes as long as a Java virtual machine. Clients, where
 * there are some, cannot be asked for anything.
 */
async function started(
  shows: AlluxioFileSystem['shows'],
  mounts: DatasetSpec['mounts'] = [data],
): Promise<Harness & { readonly files: AlluxioFileSystem }> {
  const files = alluxioFileSystem();
  files.shows = shows;
  const exec: PodExec = async (...call) => {
    await new Promise((resolve) => setTimeout(resolve, 3000));
    if (call[0].container === 'alluxio-fuse') throw new Error('bash took longer than 5 s');
    return files.exec(...call);
  };
  const at = await harness({ runtimes: [thin, alluxio], exec });
  at.put(write.secret('minio', { key: HUSH }));
  at.put(write.datasetObject('demo', { mounts }));
  at.put(write.alluxioRuntime('demo', { replicas: 1 }));
  await at.quiet(15_000);
  return Object.assign(at, { files });
}
/** Listed with an option that no spec has, in whose value a secret may stand. */
const embellished: AlluxioFileSystem['shows'] = (mounted) =>
  new Map([...mounted].map(([path, row]) => [path, path === '/data' ? { ...row, options: { ...row.options, extra: HUSH } } : row]));
const truthful: AlluxioFileSystem['shows'] = (mounted) => mounted;
const mountsOf = ({ changes }: AlluxioFileSystem, path: string) => changes.filter((each) => each === `mount ${path}`).length;
const eventsOf = (at: Harness, reason: string) => at.events.filter((event) => event.reason === reason);

const TEXT = 'The engine accepted these changes of mounts and lists something else; the controller retries them with back-off';
const DATA = `${TEXT}: /data: asked for s3://bucket/data, listed with other options: extra`;

test('a mount that is listed otherwise than it was asked for is reported once, and delays no step', async () => {
  const at = await started(embellished);
  expect(at.dataset().phase).toBe('Bound');
  expect(at.conditions('Dataset')).toMatchObject({ Ready: `True MountsDiffer: The ddc runtime is ready. ${DATA}` });
  expect(at.conditions(RUNTIME)).toMatchObject({ MountsDiffer: `True MountsDiffer: ${DATA}`, Synced: `False MountsDiffer: ${DATA}` });
  await at.advance(600_000);
  expect(eventsOf(at, 'MountsDiffer').map(({ note, regarding }) => [regarding.kind, note])).toEqual([
    [RUNTIME, DATA],
    ['Dataset', DATA],
  ]);
  const { dataset, events, log } = { dataset: at.server.all().filter(({ kind }) => kind !== 'Secret'), events: at.events, log: at.log };
  expect(JSON.stringify([dataset, events, log])).not.toContain(HUSH);
});

test('it is tried again ever less often, and costs no write', async () => {
  const at = await started(embellished);
  at.forget();
  const tries: number[] = [];
  for (let minutes = 0; minutes < 8; minutes++) {
    at.files.changes.length = 0;
    await at.advance(8 * 60_000);
    tries.push(mountsOf(at.files, '/data'));
  }
  expect(tries[0]).toBeLessThanOrEqual(6);
  expect(tries.reduce((all, each) => all + each)).toBeGreaterThan(tries[0] ?? 0);
  expect(Math.max(...tries.slice(2))).toBe(1);
  expect(at.written()).toEqual([]);
});

test('a mount that a client cannot be asked for is no failure, which would be retried at once', async () => {
  const at = await started(embellished);
  const node = at.get('Node', 'node-1')!;
  at.server.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  at.edit('Dataset', { mounts: [data, other] });
  await at.advance(60_000);
  expect(at.get('Pod', 'demo-fuse-node-1')?.status).toMatchObject({ phase: 'Running' });
  expect(at.conditions(RUNTIME)).toMatchObject({ Synced: `False MountsDiffer: ${DATA}` });
  at.files.changes.length = 0;
  await at.advance(3_600_000);
  expect(mountsOf(at.files, '/data')).toBeLessThanOrEqual(9);
});

test('is tried no more often because another mount is refused, which is tried every few seconds', async () => {
  const at = await started(embellished);
  at.files.refuses.add('/other');
  at.edit('Dataset', { mounts: [data, other] });
  await at.advance(60_000);
  expect(at.conditions(RUNTIME)['Synced']).toBe('False MountsChanging: no such bucket');
  at.files.changes.length = 0;
  at.forget();
  await at.advance(600_000);
  expect(mountsOf(at.files, '/data')).toBeLessThanOrEqual(6);
  expect(mountsOf(at.files, '/other')).toBeGreaterThan(20);
  expect(at.written()).toEqual([]);
  expect(at.events).toEqual([]);
  at.files.refuses.clear();
  await at.advance(60_000);
  expect([...at.files.mounted.keys()].toSorted()).toEqual(['/data', '/other']);
  expect(at.conditions(RUNTIME)['Synced']).toBe(`False MountsDiffer: ${DATA}`);
});

test('it is well once it is listed as it was asked for, without being mounted again', async () => {
  const at = await started(embellished);
  at.files.changes.length = 0;
  at.files.shows = truthful;
  await at.advance(60_000);
  expect(mountsOf(at.files, '/data')).toBe(0);
  expect(at.conditions(RUNTIME)).toMatchObject({ Synced: 'True Synced: Every object is as the spec says.' });
  expect(at.conditions(RUNTIME)).not.toHaveProperty('MountsDiffer');
  expect(at.conditions('Dataset')).toMatchObject({ Ready: 'True DatasetReady: The ddc runtime is ready.' });
});

test('other mounts are changed meanwhile', async () => {
  const at = await started(embellished);
  await at.advance(60_000);
  at.files.changes.length = 0;
  // A spec that changed is tried at once, and then no more than before.
  at.edit('Dataset', { mounts: [data, other] });
  await at.advance(12_000);
  expect([...at.files.mounted.keys()].toSorted()).toEqual(['/data', '/other']);
  expect([mountsOf(at.files, '/data'), mountsOf(at.files, '/other')]).toEqual([1, 1]);
  expect(at.dataset().mounts).toHaveLength(2);
});

test('a new controller process does not mount again what an earlier one reported', async () => {
  const at = await started(embellished);
  await at.advance(300_000);
  at.forget();
  at.files.changes.length = 0;
  await at.restart();
  await at.advance(120_000);
  expect(mountsOf(at.files, '/data')).toBe(0);
  expect(eventsOf(at, 'MountsDiffer')).toEqual([]);
  expect(at.conditions(RUNTIME)).toMatchObject({ MountsDiffer: `True MountsDiffer: ${DATA}` });
});

test('a mount that is never listed holds a first set-up, which is reported once', async () => {
  const at = await started(() => new Map());
  expect(at.dataset().phase).toBe('NotBound');
  const text = `${TEXT}: /data: asked for s3://bucket/data, not listed`;
  expect(at.conditions('Dataset')['NotReady']).toBe(`True DatasetFailedToSetup: ${text}`);
  at.forget();
  at.files.changes.length = 0;
  await at.advance(600_000);
  expect(mountsOf(at.files, '/data')).toBeLessThanOrEqual(6);
  expect(mountsOf(at.files, '/data')).toBeGreaterThan(1);
  expect(at.written()).toEqual([]);
  at.files.shows = truthful;
  await at.advance(1_200_000);
  expect(at.dataset().phase).toBe('Bound');
});

test('a mount that is listed although it was unmounted is reported, and not unmounted each second', async () => {
  const at = await started(truthful, [data, other]);
  const gone = at.files.mounted.get('/other')!;
  at.files.shows = (mounted) => new Map([...mounted, ['/other', gone]]);
  at.edit('Dataset', { mounts: [data] });
  at.files.changes.length = 0;
  await at.advance(60_000);
  expect(at.conditions(RUNTIME)['MountsDiffer']).toBe(`True MountsDiffer: ${TEXT}: /other: asked to be unmounted, listed as s3://other`);
  expect(at.dataset()).toMatchObject({ phase: 'Bound', mounts: [{ name: 'data' }] });
  expect(at.files.changes.length).toBeGreaterThan(1);
  expect(at.files.changes.length).toBeLessThanOrEqual(4);
});

test('however many mounts are refused, one after them is mounted', async () => {
  const refused = Array.from({ length: 250 }, (_, i): Mount => ({ mountPoint: `s3://refused-${i}`, name: `a${i}` }));
  const at = await started(truthful, refused);
  for (const { name } of refused) at.files.refuses.add(`/${name}`);
  at.files.mounted.clear();
  at.edit('Dataset', { mounts: [...refused, other] });
  await at.advance(60_000);
  expect([...at.files.mounted.keys()]).toEqual(['/other']);
});
