import { dirname } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { describePlugin } from './describe-plugin.ts';
import type { State } from './mount-node.ts';

const ANY = { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } } as const;

describePlugin('staging', { patienceMs: 200 }, (at) => {
  let state: State;

  afterEach(() => {
    at.node.sh('rm -rf "$1"/plugins/kubernetes.io/csi', at.node.kubelet);
  });

  const attributes = (name: string, more: Record<string, string> = {}) => ({
    fluid_path: at.node.fusePath(name),
    mount_type: 'tmpfs',
    runtime_namespace: 'ml',
    runtime_name: name,
    mount_pod_node_selector_key: `fluid.io/f-ml-${name}`,
    ...more,
  });
  /** As the cluster has a Dataset: its volume, its runtime, its claim. */
  function given(name: string, cleanPolicy: string, more: Record<string, string> = {}, generation = '1') {
    state = {
      volumes: {
        ...state?.volumes,
        [`ml-${name}`]: { attributes: attributes(name, more), claim: { namespace: 'ml', name } },
      },
      runtimes: { ...state?.runtimes, [`ml/${name}`]: { cleanPolicy } },
      claims: { ...state?.claims, [`ml/${name}`]: { 'fuse.runtime.fluid.io/generation': generation } },
    };
    at.node.write(state);
  }
  const staging = (volumeId: string) => `${at.node.kubelet}/plugins/kubernetes.io/csi/fuse.csi.fluid.io/${volumeId}/globalmount`;
  /** As the kubelet: it writes down which volume it is, then calls. */
  async function stage(volumeId: string, more: Record<string, string> = {}) {
    const data = JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: volumeId });
    at.node.sh('mkdir -p "$1" && echo "$2" >"$1/../vol_data.json"', staging(volumeId), data);
    await at.plugin.call.nodeStageVolume({
      volumeId,
      stagingTargetPath: staging(volumeId),
      volumeCapability: ANY,
      volumeContext: attributes(volumeId.slice('ml-'.length), more),
    });
  }
  const records = () => `${at.node.kubelet}/csi-plugins/fuse.csi.fluid.io/staged`;
  const unstage = (volumeId: string) => at.plugin.call.nodeUnstageVolume({ volumeId, stagingTargetPath: staging(volumeId) });
  const labels = () => at.plugin.reports.flatMap((report) => ('labels' in report ? [report.labels] : []));
  const removed = (key: string) => labels().some((each) => each[key] === null);

  test('the node is labelled, and no longer when the policy is OnDemand', async () => {
    given('demand', 'OnDemand');
    await stage('ml-demand');
    expect(labels().at(-1)).toEqual({ 'fluid.io/f-ml-demand': 'true' });
    await unstage('ml-demand');
    expect(labels().at(-1)).toEqual({ 'fluid.io/f-ml-demand': null });
  });

  test('the directory on which a client of a CacheRuntime mounts exists before the client starts, and is left alone later', async () => {
    const path = at.node.fusePath('made');
    const parent = dirname(path);
    given('made', 'OnDemand', { mount_type: 'cache' });
    at.node.sh('rm -rf "$1"', parent);
    await stage('ml-made', { mount_type: 'cache' });
    expect(at.node.sh('stat -c "%F %a" "$1"', path).trim()).toBe('directory 755');
    // A file system that is mounted there is not touched: it may never answer.
    at.node.sh('mount -t tmpfs -o mode=0700 tmpfs "$1"', path);
    await stage('ml-made', { mount_type: 'cache' });
    expect(at.node.sh('stat -c %a "$1"; umount "$1"', path).trim()).toBe('700');
    at.node.sh('rm -rf "$1"', parent);
    given('bare', 'OnDemand');
    at.node.sh('rm -rf "$1"', dirname(at.node.fusePath('bare')));
    await stage('ml-bare');
    expect(at.node.sh('ls -d "$1" 2>/dev/null || echo none', at.node.fusePath('bare')).trim()).toBe('none');
  });

  test('a label that the node has lost is set again when a volume is published, and the pod is told', async () => {
    const key = 'fluid.io/f-ml-lost';
    given('lost', 'OnDemand');
    await stage('ml-lost');
    const publish = () =>
      at.plugin.call.nodePublishVolume({
        volumeId: 'ml-lost',
        targetPath: at.node.newTarget(),
        volumeCapability: ANY,
        // As released versions of Fluid, which name no label: what was learnt at staging says it.
        volumeContext: attributes('lost', { mount_pod_node_selector_key: '' }),
      });
    const times = () => labels().filter((each) => each[key] === 'true').length;
    await expect(publish()).rejects.toMatchObject({ details: expect.stringContaining('does not exist yet') });
    expect(times()).toBe(1);
    at.node.write({ ...state, lost: [key] });
    await expect(publish()).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      details: expect.stringMatching(/node node-1 had lost the label fluid.io\/f-ml-lost, .*; the node plugin has set it again/),
    });
    expect(times()).toBe(2);
    at.node.write({ ...state, lost: [key], readOnlyNode: true });
    await expect(publish()).rejects.toMatchObject({ details: expect.stringContaining('it cannot be set again: this node is not yours') });
  });

  test.each(['OnRuntimeDeleted', ''])('policy "%s" leaves the label to the controller', async (policy) => {
    given('stays', policy);
    await stage('ml-stays');
    await unstage('ml-stays');
    expect(removed('fluid.io/f-ml-stays')).toBe(false);
  });

  test('OnFuseChanged: only a client of another generation goes', async () => {
    const key = 'fluid.io/f-ml-changed';
    let serial = 0;
    const fuse = (generation?: string, more: object = {}) => ({
      metadata: {
        name: `changed-fuse-${++serial}`,
        uid: `uid-${serial}`,
        ownerReferences: [{ kind: 'DaemonSet', name: 'changed-fuse' }],
        labels: generation ? { 'fuse.runtime.fluid.io/generation': generation } : {},
        ...more,
      },
    });
    const other = fuse('1', { ownerReferences: [{ kind: 'DaemonSet', name: 'other-fuse' }] });
    for (const [pods, gone] of [
      [[], false],
      [[other, fuse()], false],
      [[other, fuse('2')], false],
      [[fuse('1', { deletionTimestamp: 'now' }), fuse('2')], false],
      [[fuse('1')], true],
    ] as const) {
      given('changed', 'OnFuseChanged', {}, '2');
      at.node.write({ ...state, pods: { ml: [...pods] } });
      await stage('ml-changed');
      await unstage('ml-changed');
      expect(removed(key)).toBe(gone);
    }
  });

  test('a label that another staged volume needs stays, also after a restart of the plugin', async () => {
    const shared = { mount_pod_node_selector_key: 'fluid.io/f-ml-shared' };
    given('one', 'OnDemand', shared);
    given('two', 'OnDemand', shared);
    await stage('ml-one', shared);
    await stage('ml-two', shared);
    await at.plugin.end('SIGKILL');
    at.plugin = await at.node.startPlugin({ patienceMs: 200 });
    await unstage('ml-one');
    expect(labels()).toEqual([]);
    // The kubelet removes what it wrote when we have answered.
    at.node.sh('rm -r "$(dirname "$1")"', staging('ml-one'));
    await unstage('ml-two');
    expect(labels()).toEqual([{ 'fluid.io/f-ml-shared': null }]);
  });

  test('a volume whose handle is not its name is one as well, also after a restart of the plugin', async () => {
    const shared = { mount_pod_node_selector_key: 'fluid.io/f-ml-own', runtime_name: 'own' };
    given('own', 'OnDemand', shared);
    await stage('ml-own', shared);
    await stage('by-hand', shared);
    await at.plugin.end('SIGKILL');
    at.plugin = await at.node.startPlugin({ patienceMs: 200 });
    await unstage('ml-own');
    expect(labels()).toEqual([]);
    at.node.sh('rm -r "$(dirname "$1")"', staging('ml-own'));
    await unstage('by-hand');
    expect(labels()).toEqual([{ 'fluid.io/f-ml-own': null }]);
    expect(at.node.sh('ls "$1"', records())).toBe('');
  });

  test('the label of a volume stays while another, unknown one is staged, since that may need the same client', async () => {
    given('known', 'OnDemand');
    await stage('ml-known');
    await stage('ml-foreign');
    at.node.sh('rm "$1"/*', records());
    await stage('ml-known');
    await unstage('ml-known');
    expect(removed('fluid.io/f-ml-known')).toBe(false);
    const data = '{"driverName":';
    at.node.sh('echo "$2" >"$1/../vol_data.json"', staging('ml-foreign'), data);
    await stage('ml-known');
    await unstage('ml-known');
    expect(removed('fluid.io/f-ml-known')).toBe(false);
    at.node.sh('rm -r "$(dirname "$1")"', staging('ml-foreign'));
    await stage('ml-known');
    await unstage('ml-known');
    expect(removed('fluid.io/f-ml-known')).toBe(true);
  });

  test('a volume that went while its policy kept the label holds it no longer', async () => {
    const shared = { mount_pod_node_selector_key: 'fluid.io/f-ml-late' };
    given('first', 'OnRuntimeDeleted', shared);
    given('second', 'OnDemand', shared);
    await stage('ml-first', shared);
    await unstage('ml-first');
    at.node.sh('rm -r "$(dirname "$1")"', staging('ml-first'));
    await stage('ml-second', shared);
    await unstage('ml-second');
    expect(removed('fluid.io/f-ml-late')).toBe(true);
  });

  test('a volume that a pod still has mounted is not unstaged', async () => {
    given('used', 'OnDemand');
    await stage('ml-used');
    // By another name than its id, as a Dataset that refers to another has it.
    const target = `${at.node.kubelet}/pods/uid-9/volumes/kubernetes.io~csi/other/mount`;
    const data = JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: 'ml-used' });
    at.node.sh('mkdir -p "$1" && mount -t tmpfs live "$1" && echo "$2" >"$1/../vol_data.json"', target, data);
    await expect(unstage('ml-used')).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: expect.stringContaining('uid-9'),
    });
    at.node.sh('umount "$1"', target);
    await unstage('ml-used');
    expect(removed('fluid.io/f-ml-used')).toBe(true);
  });

  test('a volume that does not exist in the cluster any more is unstaged without an error', async () => {
    await unstage('ml-unknown');
    expect(at.plugin.log.at(-1)).toMatchObject({ rpc: 'NodeUnstageVolume', level: 'info' });
  });

  test('a volume with attributes that are invalid by now is unstaged without an error', async () => {
    given('once', 'OnDemand', { mount_pod_node_selector_key: 'node-role.kubernetes.io/once' });
    await unstage('ml-once');
    expect(labels().some((each) => 'node-role.kubernetes.io/once' in each)).toBe(false);
  });

  /** Resolves when the plugin has asked for a session manager once more. */
  function sessionManagerWanted(): Promise<unknown> {
    const times = () => labels().filter((each) => each['fluid.io/efc-sessmgr'] === 'true').length;
    const before = times();
    return at.plugin.when(() => times() > before);
  }

  // An empty file is the stand-in of the session manager's socket: EFC's software is not public.
  test("EFC's session manager is asked for, and its client once the manager's socket exists", async () => {
    const dir = `${at.node.mountRoot}/efc-sock`;
    const wanted = sessionManagerWanted();
    const staged = stage('ml-efc', { efc_sessmgr_workdir: dir });
    await wanted;
    expect(labels().some((each) => 'fluid.io/f-ml-efc' in each)).toBe(false);
    at.node.sh('mkdir -p "$1" && touch "$1/sessmgrd.sock"', dir);
    await staged;
    expect(labels().at(-1)).toEqual({ 'fluid.io/f-ml-efc': 'true' });
  });

  test('also where the directories above come one after the other', async () => {
    const above = Array.from({ length: 40 }, (_, i) => `d${i}`);
    const dir = [at.node.mountRoot, ...above].join('/');
    const wanted = sessionManagerWanted();
    const staged = stage('ml-deep', { efc_sessmgr_workdir: dir });
    await wanted;
    at.node.sh(
      'cd "$1" && shift && for name; do mkdir "$name" && cd "$name"; done && sleep 0.1 && touch sessmgrd.sock',
      at.node.mountRoot,
      ...above,
    );
    await staged;
  });

  test('attributes that lead elsewhere are refused', async () => {
    for (const more of [
      { fluid_path: '/etc' },
      { fluid_path: `${at.node.mountRoot}/../etc` },
      { fluid_path: at.node.mountRoot },
      { efc_sessmgr_workdir: '/var/run' },
      { fluid_sub_path: 'a/../../b' },
    ])
      await expect(stage('ml-bad', more)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});
