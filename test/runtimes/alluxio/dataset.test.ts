/** Fields of a Dataset about the data as a whole: owners of files, the backup to restore from, access modes. */
import { describe, expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { DatasetSpec, Mount } from '../../../src/api/index.ts';
import { bucket, container, given, planOf, podOf, propertiesOf } from './given.ts';

const master = (dataset: DatasetSpec) => container(given({ dataset }), 'master', 'alluxio-master');

describe('files', () => {
  const TRANSLATION = 'alluxio.fuse.user.group.translation.enabled';
  const options = (dataset: DatasetSpec) => container(given({ dataset }), 'fuse', 'alluxio-fuse').args[1];

  test('are those of the owner in the Dataset', () => {
    const owner = { uid: 1005, gid: 1006, user: 'du', group: 'dg' };
    expect(options({ owner })).toMatch(/,uid=1005,gid=1006,allow_other$/);
    expect(propertiesOf(given({ dataset: { owner } }))).not.toHaveProperty([TRANSLATION]);
  });
  test('are those of the users that Alluxio names, without an owner', () => {
    expect(options({})).not.toContain('uid=');
    expect(propertiesOf(given())[TRANSLATION]).toBe('true');
  });
});

describe('a master begins with a backup', () => {
  const file = (value: string) => ({ name: 'JOURNAL_BACKUP', value });

  test('on a node, on which it runs then', () => {
    const dataset = { dataRestoreLocation: { path: 'local:///backups/', nodeName: 'n1' } };
    expect(podOf(given({ dataset }), 'master').nodeSelector).toEqual({ 'kubernetes.io/hostname': 'n1' });
    expect(podOf(given({ dataset }), 'master').volumes).toContainEqual({ name: 'host', hostPath: { path: '/backups/' } });
    expect(master(dataset).volumeMounts).toContainEqual({ name: 'host', mountPath: '/host' });
    expect(master(dataset).env).toContainEqual(file('/host/metadata-backup-demo-ml.gz'));
  });
  test('in a claim, on any node', () => {
    const dataset = { dataRestoreLocation: { path: 'pvc://backups/of/alluxio/' } };
    expect(podOf(given({ dataset }), 'master').nodeSelector ?? {}).toEqual({});
    expect(podOf(given({ dataset }), 'master').volumes).toContainEqual({ name: 'pvc', persistentVolumeClaim: { claimName: 'backups' } });
    expect(master(dataset).volumeMounts).toContainEqual({ name: 'pvc', mountPath: '/pvc' });
    expect(master(dataset).env).toContainEqual(file('/pvc/of/alluxio/metadata-backup-demo-ml.gz'));
  });
  test('and with nothing else than that', () => expect(master({}).env.map(({ name }) => name)).not.toContain('JOURNAL_BACKUP'));
  test.each<[string, DatasetSpec['dataRestoreLocation'] & {}, string]>([
    ['no node', { path: 'local:///backups' }, 'spec.dataRestoreLocation.nodeName: expected the node that has the backup'],
    ['another scheme', { path: 's3://backups' }, 'spec.dataRestoreLocation.path: expected pvc://<claim>/<path> or local:///<path>'],
    ['a way out of the claim', { path: 'pvc://a/../b' }, 'spec.dataRestoreLocation.path'],
  ])('unless it has %s', (_, dataRestoreLocation, message) =>
    expect(() => alluxio.bind(given({ dataset: { dataRestoreLocation } }))).toThrow(message),
  );
});

describe('a mount', () => {
  const ROOT = 'alluxio.master.mount.table.root';
  const at = (mount: Partial<Mount>) => given({ mounts: [{ ...bucket, ...mount }] });
  const optionsOf = (mount: Partial<Mount>) => planOf(at(mount)).mounts.rows[0]?.options;

  test('is read-only or shared where it says so', () => {
    expect(optionsOf({ readOnly: true })).toEqual({ '--readonly': '' });
    expect(optionsOf({ shared: true })).toEqual({ '--shared': '' });
    expect(optionsOf({ readOnly: false, shared: false })).toEqual({});
  });
  test('at the root is so from the start of the master', () => {
    expect(propertiesOf(at({ path: '/', readOnly: true, shared: true }))).toMatchObject({
      [`${ROOT}.readonly`]: 'true',
      [`${ROOT}.shared`]: 'true',
    });
    const keys = Object.keys(propertiesOf(at({ path: '/' })));
    expect(keys.filter((key) => key.startsWith(ROOT))).toEqual([`${ROOT}.ufs`]);
  });
});

test('two claims never share a volume, whose data would be that of one of them', () => {
  const mounts = ['pvc://a.b', 'pvc://a-b'].map((mountPoint, i) => ({ mountPoint, name: `m${i}` }));
  expect(() => podOf(given({ mounts }), 'master')).toThrow('volumes[a-b]: expected one entry for each key');
});

test.each<[string, Mount, boolean]>([
  ['a directory of nodes is', { mountPoint: 'local:///mnt/disk', name: 'disk' }, true],
  ['a bucket is not', bucket, false],
])('%s read where the Dataset says: there its masters run', (_, mount, isThere) => {
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' as const }] }] };
  const { affinity } = podOf(given({ mounts: [mount], dataset: { nodeAffinity: { required } } }), 'master');
  expect(affinity).toEqual(isThere ? { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } : undefined);
  expect(podOf(given({ mounts: [mount] }), 'master').affinity).toBeUndefined();
});
