/** Volumes as released versions of Fluid wrote and staged them, and what the next plugin of this node finds. */
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describePlugin } from './describe-plugin.ts';
import type { State } from './mount-node.ts';
const ANY = { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } } as const;
const UID = '2f6cf1e2-7b7d-4c0d-9b5e-0a1b2c3d4e5f';

describePlugin('what Fluid has left', { patienceMs: 200 }, (at) => {
  let state: State;

  afterEach(() => {
    at.node.sh('rm -rf "$1"/plugins/kubernetes.io/csi', at.node.kubelet);
  });

  const runtimeOf = (name: string) => ({ runtime_namespace: 'ml', runtime_name: name });
  const base = (name: string) => ({ fluid_path: at.node.fusePath(name), mount_type: 'tmpfs' });
  /** As the cluster has the Dataset, its runtime, volume and claim; the volume has no label of the node in it. */
  function given(name: string, attributes: Record<string, string>) {
    state = {
      volumes: { [`ml-${name}`]: { attributes, claim: { namespace: 'ml', name } } },
      runtimes: { [`ml/${name}`]: { cleanPolicy: 'OnDemand' } },
      datasets: { [`ml/${name}`]: { uid: UID, labels: {} } },
    };
    at.node.write(state);
  }
  const staging = (volumeId: string) => `${at.node.kubelet}/plugins/kubernetes.io/csi/fuse.csi.fluid.io/${volumeId}/globalmount`;
  /** The kubelet's files on the node for a staged volume of any plugin. */
  function kubeletStages(volumeId: string) {
    const data = JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: volumeId });
    at.node.sh('mkdir -p "$1" && echo "$2" >"$1/../vol_data.json"', staging(volumeId), data);
  }
  const kubeletForgets = (volumeId: string) => at.node.sh('rmdir "$1" && rm -r "$(dirname "$1")"', staging(volumeId));
  async function stage(volumeId: string, volumeContext: Record<string, string>) {
    kubeletStages(volumeId);
    await at.plugin.call.nodeStageVolume({ volumeId, stagingTargetPath: staging(volumeId), volumeCapability: ANY, volumeContext });
  }
  const unstage = (volumeId: string) => at.plugin.call.nodeUnstageVolume({ volumeId, stagingTargetPath: staging(volumeId) });
  const labels = () => at.plugin.reports.flatMap((report) => ('labels' in report ? [report.labels] : []));
  const publish = (name: string, targetPath: string, more: Record<string, string> = {}, timeoutMs = 60_000) =>
    at.plugin.call.nodePublishVolume(
      {
        volumeId: `ml-${name}`,
        targetPath,
        volumeCapability: ANY,
        volumeContext: { ...base(name), ...runtimeOf(name), ...more },
      },
      { timeoutMs },
    );

  const LONG = 'a-dataset-whose-name-is-as-long-as-names-of-datasets-can-get-ok';
  const versions: readonly (readonly [string, string, (name: string) => Record<string, string>, string])[] = [
    ['0.8 and 0.9', 'old', (name) => ({ ...base(name), ...runtimeOf(name) }), 'fluid.io/f-ml-old'],
    [
      '1.0',
      'newer',
      (name) => ({ ...base(name), ...runtimeOf(name), node_publish_method: 'symlink', 'fluid.io/skip-check-mount-ready-target': 'None' }),
      'fluid.io/f-ml-newer',
    ],
    ['1.0, with a name too long for a label', LONG, (name) => ({ ...base(name), ...runtimeOf(name) }), `fluid.io/f-${UID}`],
    [
      'any, for EFC',
      'efc',
      (name) => ({ ...base(name), ...runtimeOf(name), efc_sessmgr_workdir: `${at.node.mountRoot}/efc-sock` }),
      'fluid.io/f-ml-efc',
    ],
    ['any, whose runtime only the claim names', 'claimed', base, 'fluid.io/f-ml-claimed'],
  ];

  test.each(versions)('a volume of Fluid %s brings its fuse pod, and lets it go', async (_, name, attributes, key) => {
    given(name, attributes(name));
    at.node.sh('mkdir -p "$1" && touch "$1/sessmgrd.sock"', `${at.node.mountRoot}/efc-sock`);
    await stage(`ml-${name}`, attributes(name));
    expect(labels().some((each) => each[key] === 'true')).toBe(true);
    await unstage(`ml-${name}`);
    expect(labels().at(-1)).toEqual({ [key]: null });
    kubeletForgets(`ml-${name}`);
  });

  test.each(versions)("a volume that Fluid's plugin has staged, of %s, lets its fuse pod go", async (_, name, attributes, key) => {
    given(name, attributes(name));
    kubeletStages(`ml-${name}`);
    await unstage(`ml-${name}`);
    expect(labels().at(-1)).toEqual({ [key]: null });
  });

  test('a dataset that goes by its UID although its name is short is labelled so', async () => {
    given('met', { ...base('met'), ...runtimeOf('met') });
    at.node.write({ ...state, datasets: { 'ml/met': { uid: UID, labels: { 'fluid.io/dataset-id': UID } } } });
    await stage('ml-met', { ...base('met'), ...runtimeOf('met') });
    expect(labels().at(-1)).toEqual({ [`fluid.io/f-${UID}`]: 'true' });
  });

  test('nothing of ours is in the way of a kubelet that calls another plugin by now', async () => {
    given('back', { ...base('back'), ...runtimeOf('back') });
    await stage('ml-back', { ...base('back'), ...runtimeOf('back') });
    // The kubelet removes the staging path when that plugin has unstaged, and only if it is empty.
    kubeletForgets('ml-back');
  });

  test('a volume that another plugin has staged again since lets the fuse pod of the newer Dataset go', async () => {
    const attributes = { ...base('twice'), ...runtimeOf('twice') };
    given('twice', { ...attributes, mount_pod_node_selector_key: 'fluid.io/f-older' });
    await stage('ml-twice', { ...attributes, mount_pod_node_selector_key: 'fluid.io/f-older' });
    await at.plugin.end();
    // The other plugin unstages the volume, and stages that of the next Dataset of this name.
    kubeletForgets('ml-twice');
    kubeletStages('ml-twice');
    given('twice', { ...attributes, mount_pod_node_selector_key: 'fluid.io/f-newer' });
    at.plugin = await at.node.startPlugin({ patienceMs: 200 });
    await unstage('ml-twice');
    expect(labels()).toEqual([{ 'fluid.io/f-newer': null }]);
  });

  test('a volume that this plugin had staged is known after a restart', async () => {
    const attributes = { ...base('kept'), ...runtimeOf('kept'), mount_pod_node_selector_key: 'fluid.io/f-kept' };
    given('kept', attributes);
    await stage('ml-kept', attributes);
    await at.plugin.end('SIGKILL');
    // As for a volume whose name is not its handle.
    at.node.write({ ...state, volumes: {} });
    at.plugin = await at.node.startPlugin({ patienceMs: 200 });
    await unstage('ml-kept');
    expect(labels()).toEqual([{ 'fluid.io/f-kept': null }]);
  });

  test('the file of an earlier version in the staging path is used, and then removed', async () => {
    given('earlier', {});
    kubeletStages('ml-earlier');
    kubeletStages('by-hand');
    const attributes = { ...base('earlier'), ...runtimeOf('earlier'), mount_pod_node_selector_key: 'fluid.io/f-ml-earlier' };
    at.node.sh('echo "$2" >"$1/volume.json"', staging('by-hand'), JSON.stringify(attributes));
    kubeletForgets('ml-earlier');
    await at.plugin.end('SIGKILL');
    at.plugin = await at.node.startPlugin({ patienceMs: 200 });
    expect(at.node.sh('ls "$1"', staging('by-hand'))).toBe('');
    await unstage('by-hand');
    expect(labels()).toEqual([{ 'fluid.io/f-ml-earlier': null }]);
  });

  test('two volumes of one label that are unstaged together take it off', async () => {
    const attributes = { ...base('pair'), ...runtimeOf('pair') };
    given('pair', attributes);
    await stage('ml-pair', attributes);
    await stage('reference', attributes);
    await Promise.all([unstage('ml-pair'), unstage('reference')]);
    expect(labels().at(-1)).toEqual({ 'fluid.io/f-ml-pair': null });
  });

  test('a label that was kept in doubt goes when there is none, unless it is needed again', async () => {
    const attributes = { ...base('doubt'), ...runtimeOf('doubt') };
    given('doubt', attributes);
    const gone = (report: (typeof at.plugin.reports)[number]) => 'labels' in report && report.labels['fluid.io/f-ml-doubt'] === null;
    await stage('ml-doubt', attributes);
    // A volume that does not exist any more: what it needs is unknown.
    kubeletStages('ml-unknown');
    await unstage('ml-doubt');
    expect(at.plugin.reports.some(gone)).toBe(false);
    await stage('ml-doubt', attributes);
    kubeletForgets('ml-unknown');
    await unstage('ml-doubt');
    expect(at.plugin.reports.filter(gone)).toHaveLength(1);
    await stage('ml-doubt', attributes);
    kubeletStages('ml-unknown');
    await unstage('ml-doubt');
    expect(at.plugin.reports.filter(gone)).toHaveLength(1);
    kubeletForgets('ml-unknown');
    await at.plugin.when((report) => gone(report) && at.plugin.reports.filter(gone).length === 2);
  });

  describe('a volume that is staged again before its fuse pod has gone', () => {
    const serve = (name: string, text: string) =>
      at.node.sh('mkdir -p "$1" && mount -t tmpfs live "$1" && echo "$2" >"$1/f"', at.node.fusePath(name), text);
    const fusePod = (name: string, more: object = {}) => ({
      ml: [{ metadata: { name: `${name}-fuse-x`, uid: 'uid-x', ownerReferences: [{ kind: 'DaemonSet', name: `${name}-fuse` }], ...more } }],
    });
    async function stagedAgain(name: string) {
      const attributes = { ...base(name), ...runtimeOf(name) };
      given(name, attributes);
      serve(name, 'first');
      await stage(`ml-${name}`, attributes);
      await unstage(`ml-${name}`);
      await stage(`ml-${name}`, attributes);
    }

    beforeAll(async () => {
      await at.plugin.end();
      at.plugin = await at.node.startPlugin({ patienceMs: 30_000 });
    });

    test('waits for the next one', async () => {
      await stagedAgain('again');
      at.node.write({ ...state, pods: fusePod('again', { deletionTimestamp: 'now' }) });
      const target = at.node.newTarget();
      // The plugin answers 2 s before that.
      await expect(publish('again', target, {}, 2_300)).rejects.toMatchObject({
        details: expect.stringContaining('fuse pod that is being deleted'),
      });
      expect(at.node.stack(target)).toEqual([]);
      const asked = publish('again', target);
      at.node.sh('umount "$1"', at.node.fusePath('again'));
      serve('again', 'second');
      // The number of the device may well be the old one's: then the pod shows the difference.
      at.node.write({ ...state, pods: fusePod('again') });
      await asked;
      expect(at.node.sh('cat "$1/f"', target)).toBe('second\n');
    });

    test('takes it when it stays', async () => {
      await stagedAgain('stays');
      at.node.write({ ...state, pods: fusePod('stays') });
      const target = at.node.newTarget();
      await publish('stays', target);
      expect(at.node.sh('cat "$1/f"', target)).toBe('first\n');
    });
  });

  test("a kubelet's directory behind a link is where it leads to", async () => {
    const link = `${at.node.dir}/linked`;
    at.node.sh('ln -s kubelet "$1"', link);
    onTestFinished(async () => {
      await at.plugin.end();
      at.plugin = await at.node.startPlugin({ patienceMs: 200 });
    });
    await at.plugin.end();
    at.plugin = await at.node.startPlugin({ patienceMs: 200, kubeletDir: link });
    at.node.sh('mkdir -p "$1" && mount -t tmpfs live "$1"', at.node.fusePath('linked'));
    const target = at.node.newTarget();
    const asked = target.replace(at.node.kubelet, link);
    for (let i = 0; i < 2; i++) await publish('linked', asked);
    expect(at.node.stack(target)).toHaveLength(1);
    await at.plugin.call.nodeGetVolumeStats({ volumeId: 'ml-linked', volumePath: asked });
    await at.plugin.call.nodeUnpublishVolume({ volumeId: 'ml-linked', targetPath: asked });
    expect(at.node.stack(target)).toEqual([]);
  });

  test('a directory that need not be a mount is waited for', async () => {
    // As patient as the kubelet: with less, the call would return UNAVAILABLE on a busy machine.
    await at.plugin.end();
    at.plugin = await at.node.startPlugin({ patienceMs: 60_000 });
    const target = at.node.newTarget();
    const asked = publish('slow', target, { 'fluid.io/skip-check-mount-ready-target': 'All' });
    asked.catch(() => {});
    // Another call is answered meanwhile: it waits.
    await at.plugin.call.probe({});
    at.node.sh('mkdir -p "$1" && echo there >"$1/f"', at.node.fusePath('slow'));
    await asked;
    expect(at.node.sh('cat "$1/f"', target)).toBe('there\n');
  });

  test('a consumer in another namespace is not shown the message of the fuse pod', async () => {
    const ended = { exitCode: 1, reason: 'Error', message: 'the key is hunter2' };
    at.node.write({
      pods: {
        ml: [
          {
            metadata: { name: 'reports-fuse-x', uid: 'uid-reports', ownerReferences: [{ kind: 'DaemonSet', name: 'reports-fuse' }] },
            status: { containerStatuses: [{ name: 'fuse', state: { terminated: ended } }] },
          },
        ],
      },
    });
    await at.plugin.end();
    at.plugin = await at.node.startPlugin({ patienceMs: 100 });
    const reasonIn = (namespace: string) =>
      publish('reports', at.node.newTarget(), { 'csi.storage.k8s.io/pod.namespace': namespace, 'csi.storage.k8s.io/pod.name': 'app' }).then(
        () => '',
        ({ details }: { details: string }) => details,
      );
    expect(await reasonIn('ml')).toContain('code 1 (Error): the key is hunter2');
    expect(await reasonIn('other')).toMatch(/code 1 \(Error\)$/);
  });
});
