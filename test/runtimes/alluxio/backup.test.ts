/** The pod of a DataBackup; what it runs is tested in test/runtimes/backup. */
import { describe, expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { Manifest } from '../../../src/api/index.ts';
import type { BackupSpec, BoundRuntime } from '../../../src/constructs/index.ts';
import { backingUp, runtimeOf } from '../../support/operations.ts';
import { given } from './given.ts';

interface Pod {
  readonly containers: readonly [
    {
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string; readonly value?: string }[];
      readonly securityContext: object;
    },
  ];
  readonly volumes: readonly object[];
  readonly affinity: object;
}
const find = (manifests: readonly Manifest[], kind: string) => manifests.find((each) => each.kind === kind) as Manifest;
const jobOf = (manifests: readonly Manifest[]) =>
  find(manifests, 'Job')['spec'] as { readonly backoffLimit: number; readonly template: { readonly spec: Pod } };
const CLAIM: BackupSpec = { backupPath: 'pvc://backups/alluxio' };

describe('the pod', () => {
  const podOf = (spec: BackupSpec, runtime?: BoundRuntime) => jobOf(backingUp(spec, 'ml', runtime)).template.spec;
  test('runs where the leading master is, and mounts the volume of its journal', () => {
    const { affinity, volumes } = podOf({ backupPath: 'local:///data/a/' });
    expect(JSON.stringify(affinity)).toContain('"matchFields":[{"key":"metadata.name","operator":"In","values":["node-2"]}]');
    const path = '/var/lib/kubelet/pods/uid-of-master/volumes/kubernetes.io~empty-dir/alluxio-journal';
    expect(volumes).toEqual([
      expect.objectContaining({ name: 'script' }),
      { name: 'alluxio-journal', hostPath: { path, type: 'Directory' } },
      { name: 'host', hostPath: { path: '/data/a/', type: 'DirectoryOrCreate' } },
    ]);
  });
  test('finds it below another directory of the kubelet', () => {
    const runtime = alluxio.bind(given({ settings: { env: { KUBELET_ROOTDIR: '/var/lib/k0s/kubelet' } } }));
    expect(JSON.stringify(podOf(CLAIM, runtime).volumes)).toContain('"/var/lib/k0s/kubelet/pods/uid-of-master/');
  });
  test('sets what its script reads', () => {
    const made = backingUp(CLAIM);
    const script = (find(made, 'ConfigMap')['data'] as Record<string, string>)['databackup.sh'] ?? '';
    const read = new Set([...script.matchAll(/\$\{?((?:DATASET|BACKUP)_[A-Z_]+)/g)].map(([, name = '']) => name));
    const set = Object.fromEntries(jobOf(made).template.spec.containers[0].env.map(({ name, value }) => [name, value]));
    expect([...read]).toEqual(expect.arrayContaining(['DATASET_NAMESPACE', 'DATASET_NAME']));
    expect([...read].filter((name) => !(name in set))).toEqual([]);
    expect(set).toMatchObject({ DATASET_NAMESPACE: 'ml', DATASET_NAME: 'demo', BACKUP_PATH: CLAIM.backupPath });
  });
  test('follows the master that leads, of several, and has it make the backup itself', () => {
    const runtime = alluxio.bind(given({ spec: { master: { replicas: 3 } } }));
    const pod = (i: number) => ({ name: `demo-master-${i}`, uid: `u${i}`, ip: `10.0.0.${i}`, node: `n${i}` });
    const facts = { pods: { master: [0, 1, 2].map(pod) }, leader: pod(2) };
    const made = runtime.operations.DataBackup?.({ kind: 'DataBackup', name: 'op', namespace: 'ml', uid: 'u', spec: CLAIM, facts }) ?? [];
    const { affinity, volumes, containers } = jobOf(made).template.spec;
    expect(JSON.stringify(affinity)).toContain('["n2"]');
    expect(JSON.stringify(volumes)).toContain('/pods/u2/');
    expect(containers[0].args).toEqual(['/pvc/alluxio', '--bypass-delegation']);
  });
  test('is not rendered without a master, whose place it would not know', () => {
    const backup = { kind: 'DataBackup', name: 'op', namespace: 'ml', uid: 'u', spec: CLAIM, facts: { pods: {} } } as const;
    expect(() => runtimeOf('alluxio').operations.DataBackup?.(backup)).toThrow(
      'spec.dataset: expected a Dataset with a master that is ready, found "demo"',
    );
  });
  test('is not replaced: the next one would wait for the volume of a master that may be gone', () =>
    expect(jobOf(backingUp(CLAIM)).backoffLimit).toBe(0));

  const RUN_AS = { uid: 1005, gid: 1006, user: 'du', group: 'dg' };
  test('runs as the user that it is told, else as that of the runtime, else as root', () => {
    const runtime = alluxio.bind(given({ spec: { runAs: RUN_AS } }));
    const user = (spec: BackupSpec, of?: BoundRuntime) => podOf(spec, of).containers[0].securityContext;
    expect(user(CLAIM)).toEqual({ runAsUser: 0, runAsGroup: 0 });
    expect(user(CLAIM, runtime)).toEqual({ runAsUser: 1005, runAsGroup: 1006 });
    expect(user({ ...CLAIM, runAs: { ...RUN_AS, uid: 7, gid: 8 } }, runtime)).toEqual({ runAsUser: 7, runAsGroup: 8 });
  });
  test('has a name for that user, without which Java does not start', () => {
    const files = (spec: BackupSpec, of?: BoundRuntime) => find(backingUp(spec, 'ml', of), 'ConfigMap')['data'] as Record<string, string>;
    const mountsOf = (spec: BackupSpec) => JSON.stringify(podOf(spec).containers[0]);
    expect(files({ ...CLAIM, runAs: RUN_AS })['passwd']).toContain('du:x:1005:1006:');
    expect(mountsOf({ ...CLAIM, runAs: RUN_AS })).toContain(
      '{"mountPath":"/etc/passwd","name":"script","readOnly":true,"subPath":"passwd"}',
    );
    const runtime = alluxio.bind(given({ spec: { runAs: RUN_AS } }));
    expect(files(CLAIM, runtime)['group']).toContain('dg:x:1006:');
    expect(Object.keys(files({ ...CLAIM, runAs: { ...RUN_AS, uid: 0 } }, runtime))).toEqual(['databackup.sh']);
    expect(mountsOf(CLAIM)).not.toContain('passwd');
  });
  test.each(['', 'a b', 'x:0:0', 'a\nroot'])('a user that is called %j is refused', (user) =>
    expect(() => backingUp({ ...CLAIM, runAs: { ...RUN_AS, user } })).toThrow('spec.runAs.user: expected a name'),
  );
});

test('a source that is no directory of a claim or of a node is refused', () => {
  for (const backupPath of [
    '',
    's3://b/c',
    '/data',
    'local://data',
    'local:///',
    'local:////',
    'pvc://',
    'pvc://A/b',
    'local:///a/../b',
    'local:///a\nb',
    'pvc://a/a\nb',
    'pvc://a/../b',
  ])
    expect(() => backingUp({ backupPath }), backupPath).toThrow('spec.backupPath: expected pvc://<claim>/<path> or local:///<path>');
  expect(runtimeOf('juicefs').operations.DataBackup).toBeUndefined();
});
