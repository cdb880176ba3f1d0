/** docs/thin-runtime.md as a reader would type it, on a real node; and what else ThinRuntimes do there. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { stringify } from 'yaml';
import type { DatasetSpec } from '../../src/api/index.ts';
import { parseMountinfo } from '../../src/csi/mounts/mountinfo.ts';
import { FUSE_IMAGE, fuseImage, minioImage } from '../../harness/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { root } from '../cli/run.ts';
import { canHaveNode } from '../support/real-node.ts';
import { datasetObject, objectsIn, thinProfile, thinRuntime } from '../support/objects.ts';
import { eventually as within } from '../support/sluice.ts';
import { followingPod } from './dataset-users.ts';
import { type Installed, startInstalled } from './installed.ts';
import { hasSeed, PRINTED_IMAGE, SEED_COMMAND, SEED_IMAGE, seedImages } from './seed.ts';
import { ownImage, page, writeFiles } from './walk-through.ts';

/** A simulated node, beside the real one. */
const ELSEWHERE = 'elsewhere';
/** For what hangs: a busy node is no failure. */
const LIMIT = 600_000;
const eventually = <T>(check: () => T | Promise<T>) => within(check, 120);

describe.skipIf(!canHaveNode)('the walk-through of ThinRuntimes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-thin-'));
  let cluster: Installed;
  beforeAll(async () => {
    cluster = await startInstalled({
      images: [fuseImage(), minioImage(), ownImage(), ...seedImages()],
    });
    // Where only pods of DaemonSets go: any of ours that does not ask for nodes by their labels would be seen there.
    await cluster.plane.nodes.add(ELSEWHERE);
    await cluster.plane.kubectl('cordon', ELSEWHERE);
    await cluster.rolledOut();
    writeFiles(folder);
    mkdirSync(join(folder, 'bin'));
    symlinkSync(cluster.plane.kubectlPath, join(folder, 'bin/kubectl'));
    const sluice = `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'src/cli/main.ts')}" "$@"\n`;
    writeFileSync(join(folder, 'bin/sluice'), sluice, { mode: 0o755 });
  }, LIMIT);
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const showLogs = () => onTestFailed(async () => console.error(await cluster.logs()));

  const typed = async (commands: string): Promise<string> => {
    const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, KUBECONFIG: cluster.plane.kubeconfig };
    return (await promisify(execFile)('sh', ['-ec', commands], { cwd: folder, env })).stdout;
  };
  /** Mounts at the places of fuse pods, for this Dataset or for all. */
  const mountsOf = (name = '') =>
    parseMountinfo(readFileSync('/proc/self/mountinfo', 'utf8'))
      .map(({ mountPoint }) => mountPoint)
      .filter((point) => point.startsWith(`${cluster.node.mountRoot}/thin/default/${name}`));

  /** Nodes of the pods with these labels, in any namespace. */
  const nodesOf = async (labels: string): Promise<readonly string[]> =>
    (await typed(`kubectl get pod -A -l ${labels} -o jsonpath='{range .items[*]}{.spec.nodeName}{"\\n"}{end}'`))
      .split('\n')
      .filter(Boolean);

  const placed = () => typed(`kubectl get events -o jsonpath='{range .items[?(@.reason=="Scheduled")]}{.message}{"\\n"}{end}'`);

  test('pods of DaemonSets come to both nodes', async () =>
    expect((await nodesOf('app.kubernetes.io/component=csi')).toSorted()).toEqual([ELSEWHERE, cluster.node.name]));

  test('works as it is written', { timeout: LIMIT }, async () => {
    showLogs();
    const [config = ''] = page.filter(({ language }) => language === 'json').map(({ text }) => text);
    writeFileSync(join(folder, 'config.json'), config);
    for (const [i, { language, text }] of page.entries()) {
      if (language !== 'sh') continue;
      const said = await typed(text);
      if (text.includes('Bound dataset/minio-demo')) expect(await nodesOf('role=thin-fuse')).toEqual([]);
      // By its event: the pod that reads has ended, and the fuse pod may have been deleted after it.
      if (text.includes('logs test-minio'))
        expect(await placed()).toMatch(new RegExp(`/minio-demo-fuse-\\w+ to ${cluster.node.name}$`, 'm'));
      if (text.includes('delete pod test-minio')) expect(await nodesOf('role=thin-fuse')).toEqual([]);
      const next = page[i + 1];
      if (next?.language === 'text' && !next.text.startsWith('export ')) expect(said, text).toContain(next.text);
    }
    await eventually(() => expect(mountsOf()).toEqual([]));
  });

  describe('besides', { timeout: LIMIT }, () => {
    const kubectl = (...args: readonly string[]) => cluster.plane.kubectl(...args);
    beforeAll(async () => {
      await typed(`kubectl wait --for=delete pod -l app=minio --timeout=60s
        kubectl apply -f minio.yaml; kubectl rollout status deployment/minio --timeout=60s`);
      await inMinio('for name in one two; do mkdir -p $name; echo $name > $name/file; rclone copy $name store:bucket-$name; done');
      await typed(SECRET);
    });
    const inMinio = (commands: string) => kubectl('exec', 'deployment/minio', '-c', 'client', '--', 'sh', '-ec', commands);
    const apply = (...objects: readonly object[]) => cluster.plane.kubectlApply(objects.map((object) => stringify(object)).join('---\n'));
    const read = (pod: string, path: string) => kubectl('exec', pod, '--', 'cat', path);
    const logsOf = (pod: string) => kubectl('logs', pod, '--all-containers');

    test.skipIf(!hasSeed).each([
      ['with the keys read for every mount point', 'seed', SEED_IMAGE, 'minio://bucket-one'],
      ['as it is printed, with the keys read where the mount point has no scheme', 'printed', PRINTED_IMAGE, 'bucket-one'],
    ])("Fluid's own script works unchanged but for the client's command line, %s", async (_, name, script, mountPoint) => {
      showLogs();
      const [image = '', imageTag = ''] = script.split(':');
      await apply(
        thinProfile(name, {
          fileSystemType: 'fuse',
          fuse: {
            image,
            imageTag,
            command: SEED_COMMAND,
          },
        }),
        minioDataset(name, [{ name: 'minio', mountPoint }]),
        thinRuntime(name, { profileName: name }),
        reader(name),
      );
      await eventually(async () => expect(await read(name, '/data/file')).toBe('one\n'));
    });

    test('running clients follow the Dataset, and pods that read them too', async () => {
      showLogs();
      await apply(
        s3fsProfile('follows', 'onChange: remount'),
        minioDataset('follows', [{ name: 'minio', mountPoint: 'minio://bucket-one' }]),
        thinRuntime('follows', { profileName: 'follows' }),
        reader('follows'),
      );
      await eventually(async () => expect(await read('follows', '/data/file')).toBe('one\n'));
      const fuse = await kubectl('get', 'pod', '-l', 'release=follows,role=thin-fuse', '-o', 'name');
      const change = JSON.stringify([{ op: 'replace', path: '/spec/mounts/0/mountPoint', value: 'minio://bucket-two' }]);
      await kubectl('patch', 'dataset', 'follows', '--type=json', '-p', change);
      await eventually(async () => expect(await read('follows', '/data/file')).toBe('two\n'));
      const restarts = () =>
        kubectl('get', 'pod', '-l', 'release=follows', '-o', 'jsonpath={.items[0].status.containerStatuses[0].restartCount}');
      expect(await restarts()).toBe('0');
      // A container that mounts one file of a ConfigMap must also start again after that file was replaced.
      const killing = ['sh', '-c', 'kill -KILL -1; kill -KILL 1; kill -TERM 1'];
      await kubectl('exec', fuse.trim(), '-c', 'thin-fuse', '--', ...killing).catch((error: Error) => {
        // This shell may go with its container.
        if (!error.message.includes('exit code 137')) throw error;
      });
      await eventually(async () => expect(await restarts()).toBe('1'));
      await eventually(async () => expect(await read('follows', '/data/file')).toBe('two\n'));
      expect(await logsOf(fuse.trim())).not.toContain('minioadmin');
    });

    test('a mount of several goes and another comes while the others are read', async () => {
      showLogs();
      const [dataset, runtime] = objectsOf('several.yaml');
      const { mounts = [], ...spec } = (dataset?.['spec'] ?? {}) as DatasetSpec;
      await apply(
        s3fsProfile('several', 'each: mounts\nonChange: remount'),
        minioDataset('several', mounts, spec),
        ...(runtime ? [runtime] : []),
        reader('several'),
      );
      await eventually(async () => expect(await read('several', '/data/a/file')).toBe('one\n'));
      await eventually(async () => expect(await read('several', '/data/b/file')).toBe('two\n'));
      await apply(
        minioDataset(
          'several',
          mounts.map((mount) => (mount.name === 'b' ? { ...mount, name: 'c' } : mount)),
          spec,
        ),
      );
      await eventually(async () => expect(await read('several', '/data/c/file')).toBe('two\n'));
      await eventually(async () => expect(await read('several', '/data/b/file').catch(String)).toMatch(/No such file/));
      expect(await read('several', '/data/a/file')).toBe('one\n');
      expect(mountsOf('several')).toHaveLength(2);
      await typed('kubectl delete pod several; kubectl delete dataset several --timeout=60s');
      await eventually(() => expect(mountsOf('several')).toEqual([]));
    });

    test('a field that the template misses in a Dataset is reported on the waiting pods', async () => {
      showLogs();
      const dataset = minioDataset('misses', [{ name: 'minio', mountPoint: 'minio://bucket-one' }], { sharedOptions: {} });
      await apply(s3fsProfile('misses'), dataset, thinRuntime('misses', { profileName: 'misses' }), reader('misses'));
      const events = () => kubectl('get', 'events', '--field-selector', 'involvedObject.name=misses', '-o', 'jsonpath={.items[*].message}');
      await eventually(async () => expect(await events()).toContain('mounts[0].options["minio-url"]: expected an option'));
    });

    test('a pod of another namespace reads a directory through a reference, until the grant goes', async () => {
      showLogs();
      const there = (...args: readonly string[]) => kubectl('-n', 'team-b', ...args);
      const view = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', metadata: { name: 'view', namespace: 'team-b' } };
      const pod = reader('view');
      const readsIn = (path: string) => there('exec', 'view', '--', 'cat', path);
      await inMinio('mkdir -p deep/train; echo three > deep/train/file; echo no > deep/outside; rclone copy deep store:bucket-deep');
      await kubectl('create', 'namespace', 'team-b');
      await apply(
        s3fsProfile('shared'),
        minioDataset('shared', [{ name: 'minio', mountPoint: 'minio://bucket-deep' }]),
        thinRuntime('shared', { profileName: 'shared' }),
        { ...view, spec: { mounts: [{ mountPoint: 'dataset://default/shared/train' }] } },
        { ...pod, metadata: { ...pod.metadata, namespace: 'team-b' } },
      );
      await eventually(async () => expect(await there('get', 'dataset', 'view', '-o', 'yaml')).toContain('data.fluid.io/shared-with'));
      await kubectl('annotate', 'dataset', 'shared', 'data.fluid.io/shared-with=team-b');
      await eventually(async () => expect(await readsIn('/data/file')).toBe('three\n'));
      expect(await there('exec', 'view', '--', 'ls', '/data')).toBe('file\n');
      expect(await kubectl('get', 'dataset', 'shared', '-o', 'jsonpath={.status.datasetRef}')).toBe('["team-b/view"]');
      expect(await nodesOf('release=shared,role=thin-fuse')).toEqual([cluster.node.name]);

      await kubectl('delete', 'dataset', 'shared', '--wait=false');
      await eventually(async () => expect(await kubectl('get', 'dataset', 'shared', '-o', 'yaml')).toContain('StillReferenced'));
      await kubectl('annotate', 'dataset', 'shared', 'data.fluid.io/shared-with-');
      await eventually(async () => expect(await there('get', 'pvc', 'view', '-o', 'jsonpath={.metadata.deletionTimestamp}')).not.toBe(''));
      // The pod that runs keeps it, and with it the other Dataset stays; the next one gets nothing.
      expect(await readsIn('/data/file')).toBe('three\n');
      await kubectl('get', 'dataset', 'shared');
      await there('delete', 'pod', 'view', '--wait');
      await eventually(async () => expect(await kubectl('get', 'dataset', 'shared', '--ignore-not-found')).toBe(''));
      await apply({ ...pod, metadata: { ...pod.metadata, namespace: 'team-b' } });
      await eventually(async () =>
        expect(await there('get', 'pod', 'view', '-o', 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].message}')).toContain(
          'persistentvolumeclaim "view" not found',
        ),
      );
      await kubectl('delete', 'namespace', 'team-b', '--wait=false');
    });
  });
});

const SECRET =
  page
    .find(({ text }) => text.includes('create secret'))
    ?.text.split('\n')
    .find((line) => line.includes('create secret')) ?? '';
const [FUSE, FUSE_TAG] = FUSE_IMAGE.split(':') as [string, string];

const objectsOf = (name: string) => objectsIn(page.find(({ file }) => file === name)?.text ?? '');

const s3fsProfile = (name: string, more = '') => {
  const [[key, template] = []] = Object.entries(objectsOf('profile.yaml')[0]?.metadata.annotations ?? {});
  const annotations = { [key ?? '']: `${template?.replace('${targetPath}', '${mount.target}')}${more}\n` };
  return thinProfile(name, { fileSystemType: 'fuse.s3fs', fuse: { image: FUSE, imageTag: FUSE_TAG } }, { annotations });
};

const minioDataset = (name: string, mounts: NonNullable<DatasetSpec['mounts']>, more: DatasetSpec = {}) =>
  datasetObject(name, {
    mounts,
    sharedOptions: { 'minio-url': 'http://minio:9000' },
    sharedEncryptOptions: ['minio-access-key', 'minio-access-secret'].map((key) => ({
      name: key,
      valueFrom: { secretKeyRef: { name: 'minio-secret', key } },
    })),
    ...more,
  });

/** A pod that has the dataset of its name. */
const reader = (name: string): KubeObject => followingPod(name, name);
