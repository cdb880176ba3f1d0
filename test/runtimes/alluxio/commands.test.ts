import { describe, expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { Row } from '../../../runtimes/alluxio/mounts.ts';
import type { Mount } from '../../../src/api/index.ts';
import { mountChange } from '../../../src/planning/diff/mount-change.ts';
import { bucket, given, recorded, secret } from './given.ts';

function table(...mounts: readonly Mount[]) {
  const { mounts: table } = alluxio.bind(given({ mounts }));
  if (!table) throw new Error('no table');
  return table;
}
const encrypted: Mount = { ...bucket, encryptOptions: [secret('s3a.secretKey', 'key', 'minio')] };

test('all changes of mounts are one script, in which everything of a user is quoted', () => {
  const { change, wanted } = table({ ...encrypted, readOnly: true, shared: true, options: { b: "it's $2", a: '1' } });
  expect(change({ unmount: ['/old one'], mount: wanted })).toMatchObject([
    {
      in: 'master',
      on: 'first',
      container: 'alluxio-master',
      argv: [
        'bash',
        '-c',
        `failed=0
mount() {
  local said code tree path="\${@: -2:1}"
  said=$(alluxio fs mount "$@" 2>&1) && return
  code=$?
  if [[ $said == *'already exists in Alluxio namespace'* ]] && tree=$(alluxio fs ls -R "$path" 2>&1) &&
    [[ $tree != *NOT_PERSISTED* && $tree != *TO_BE_PERSISTED* ]] && alluxio fs rm -R --alluxioOnly "$path" > /dev/null 2>&1; then
    said=$(alluxio fs mount "$@" 2>&1) && return
    code=$?
  fi
  printf '%s\\n' "\${said##*$'\\n'}" >&2
  return $code
}
alluxio fs unmount '/old one' || failed=$?
cat /etc/fluid/secrets/minio/key > /dev/null && mount --readonly --shared --option a=1 --option 'b=it'\\''s $2' --option sluice.secret.s3a.secretKey=minio/key --option s3a.secretKey="$(cat /etc/fluid/secrets/minio/key)" /data s3://bucket/data || failed=$?
exit $failed`,
      ],
    },
    { in: 'fuse', on: 'every' },
  ]);
});

describe('Alluxio’s list has options in the spelling of the Dataset', () => {
  const { list, wanted } = table({
    mountPoint: 's3://bucket',
    name: 'data',
    readOnly: true,
    shared: true,
    options: {
      'alluxio.underfs.s3.inherit.acl': 'false',
      'alluxio.underfs.s3.disable.dns.buckets': 'true',
      'alluxio.underfs.s3.endpoint': 'http://minio.default:9000',
      's3a.accessKeyId': 'plain',
    },
    encryptOptions: [secret('s3a.secretKey')],
  });
  const [asked] = wanted as readonly Row[];
  const row = { path: '/data', source: 's3://bucket', options: asked?.options };

  test.each(['fs-mount.txt', 'master-info.json'])('in %s', (file) => expect(list.parse([[recorded(file)]])).toEqual([row]));
  test('of a mount that the plan does not have', () =>
    expect(list.parse([['s3://b  on  /x  (s3, capacity=-1B, read-only, not shared, properties={a=b})\n']])).toEqual([
      { path: '/x', source: 's3://b', options: { '--readonly': '', a: 'b' } },
    ]));
  test('without options, in versions that list none', () =>
    expect(list.parse([['/underFSStorage  on  /  (local)\nhttps://a.example/b  on  /b  (web)']])).toEqual([
      { path: '/b', source: 'https://a.example/b' },
    ]));
  test('and an output that is not a list throws', () => expect(() => list.parse([['Cannot connect']])).toThrow('Cannot connect'));
});

test('the list of the web port is read in every format', () => {
  const options = { a: 'b, c=d', q: '}"x\ns3://evil  on  /evil  (s3, properties={})' };
  const { list, wanted } = table({ ...encrypted, path: '/we"ird}', options });
  const mountPoints = (properties: object) => JSON.stringify({ mountPoints: { '/we"ird}': { ufsUri: 's3://bucket/data/', properties } } });
  expect(list.parse([[mountPoints({ ...options, 's3a.secretKey': 'unmasked', none: null })]])).toEqual([
    { path: '/we"ird}', source: wanted[0]?.source, options: { ...options, 'sluice.secret.s3a.secretKey': 'minio/key' } },
  ]);
  expect(() => list.parse([['{"configuration":{"fs.key":"unmasked"}}']])).toThrow(/^alluxio fs mount said: no mounts$/);
  expect(() => list.parse([['{"configuration":{"fs.key":"unmasked"']])).toThrow(/^the master's web port answered no JSON$/);
});

test.each<[string, Readonly<Record<string, string>>, Mount, boolean]>([
  ['as Fluid mounts it', { 's3a.secretKey': '******' }, encrypted, true],
  ['with its key', { 's3a.secretKey': '******', 'sluice.secret.s3a.secretKey': 'minio/key' }, encrypted, true],
  ['with another key', { 's3a.secretKey': '******', 'sluice.secret.s3a.secretKey': 'minio/old' }, encrypted, false],
  ['without it', {}, encrypted, false],
  ['with a secret that is none any more', { 's3a.secretKey': '******', 'sluice.secret.s3a.secretKey': 'minio/key' }, bucket, false],
  ['with a secret that is a plain option now', { k: '******', 'sluice.secret.k': 'minio/key' }, { ...bucket, options: { k: 'v' } }, false],
])('a mount that is listed %s', (_, properties, mount, same) => {
  const { list, wanted } = table(mount);
  const listed = list.parse([[JSON.stringify({ mountPoints: { '/data': { ufsUri: 's3://bucket/data', properties } } })]]);
  expect(mountChange(wanted, listed)).toEqual(same ? { unmount: [], mount: [] } : { unmount: ['/data'], mount: wanted });
});

test('all nine states are reported, of reads since the last probe', () => {
  const { probes, status } = alluxio.bind(given({ spec: { apiGateway: { enabled: true } } }));
  const answer = (local: number, remote: number, ufs: number) =>
    probes.cache?.parse(
      [
        [
          `Cluster.BytesReadLocal  (Type: COUNTER, Value: ${local}B)
Cluster.BytesReadRemote  (Type: COUNTER, Value: ${remote}B)
Cluster.BytesReadUfsAll  (Type: COUNTER, Value: ${ufs}B)
Cluster.CapacityTotal  (Type: GAUGE, Value: 1,073,741,824)
Cluster.CapacityUsed  (Type: GAUGE, Value: 1,048,576)
underfs version: 3.3
`,
        ],
      ],
      before,
    );
  let before: { readonly value: unknown; readonly ageMs: number } | undefined;
  before = { value: answer(100, 100, 100), ageMs: 60_000 };
  expect(status({ readyWorkers: 1, cache: answer(106, 102, 102), ufs: { totalBytes: 4 * 2 ** 20 } })).toEqual({
    cacheStates: {
      cacheCapacity: '1.00GiB',
      cached: '1.00MiB',
      cachedPercentage: '25.0%',
      cacheHitRatio: '80.0%',
      localHitRatio: '60.0%',
      remoteHitRatio: '20.0%',
      cacheThroughputRatio: '0.0%',
      localThroughputRatio: '0.0%',
      remoteThroughputRatio: '0.0%',
    },
    // All reads of its processes, and not only those since the last probe.
    read: [{ client: 'cluster', cacheBytes: 208, storeBytes: 102 }],
    hcfs: { endpoint: 'alluxio://demo-master-0.ml:20001', underlayerFileSystemVersion: '3.3' },
    apiGateway: { endpoint: 'demo-master-0.ml:20010' },
  });
  expect(new Set(Object.values(status({ readyWorkers: 0 }).cacheStates ?? {}))).toEqual(new Set(['']));
});

test('a list of more mounts than a Dataset may have is rejected', () => {
  const mountPoints = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`/${i}`, { ufsUri: 's3://bucket' }]));
  expect(() => table(bucket).list.parse([[JSON.stringify({ mountPoints })]])).toThrow('expected at most 4096 mounts, found 5000');
});

describe('of several masters, the one that leads', () => {
  const { leader } = alluxio.bind(given({ spec: { master: { replicas: 3 } } }));
  test.each<[string, string, string | undefined]>([
    ['is the one that says so', 'demo-master-1\n', 'demo-master-1'],
    ['is none of those while they elect', '\n', undefined],
    ['is no pod of others', 'other-master-1\n', undefined],
  ])('%s', (_, answer, pod) => expect(leader?.parse([[answer]])).toBe(pod));
});
