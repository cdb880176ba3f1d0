/** `sluice csi` as a process, without an API server. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../../harness/control-plane/ports.ts';
import { root } from '../../cli/run.ts';
import { seriesOf } from '../../support/exposition.ts';
import { canRun } from '../../support/can-run.ts';
import { startMountNode, type TestNode, whyNoMounts } from './mount-node.ts';
import type { TestPlugin } from './plugin.ts';

const canMount = canRun('tests of mounts', whyNoMounts());

describe.skipIf(!canMount)('sluice csi', () => {
  let node: TestNode;
  let plugin: TestPlugin;
  let health: string;
  let port: number;

  beforeAll(async () => {
    [port = 0] = await freePorts(1);
    health = `http://127.0.0.1:${port}`;
    node = await startMountNode();
    plugin = await start(node);
  });
  afterAll(async () => {
    await plugin?.end('SIGKILL');
    await node?.close();
  });
  async function start(node: TestNode): Promise<TestPlugin> {
    const [nowhere = 0] = await freePorts(1);
    const config = join(node.dir, 'config');
    const cluster = `clusters: [{name: a, cluster: {server: "https://127.0.0.1:${nowhere}"}}]`;
    node.sh('echo "$2" >"$1"', config, `${cluster}\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a`);
    const places = ['--kubelet-dir', node.kubelet, '--mount-root', node.mountRoot, '--kubeconfig', config];
    const flags = ['--node-id=node-1', `--metrics-addr=127.0.0.1:${port}`, ...places];
    return node.startProgram([process.execPath, join(root, 'src/cli/main.ts'), 'csi', ...flags]);
  }
  const asked = async (path: string) => {
    const answer = await fetch(`${health}/${path}`);
    return { status: answer.status, text: await answer.text() };
  };

  test('ends when its health cannot be served, rather than to serve volumes without', async () => {
    const other = await startMountNode();
    onTestFinished(() => other.close());
    await expect(start(other)).rejects.toThrow('the plugin ended');
  });

  test('is to be started again when its socket was taken', async () => {
    await expect.poll(() => asked('healthz').catch(() => undefined)).toEqual({ status: 200, text: 'ok\n' });
    const socket = `${node.kubelet}/plugins_registry/fuse.csi.fluid.io-reg.sock`;
    node.sh('rm "$1"', socket);
    expect(await asked('healthz')).toEqual({ status: 503, text: `${socket}: removed, or taken by another process\n` });
  });

  const publish = (name: string, targetPath = node.newTarget()) =>
    plugin.call.nodePublishVolume({
      volumeId: `ml-${name}`,
      targetPath,
      volumeCapability: { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } },
      volumeContext: { fluid_path: node.fusePath(name), mount_type: '' },
    });

  test('serves metrics of the Datasets of its node: who mounts them, and which client hangs', async () => {
    /** The series of a Dataset, as `pods 1`. */
    const shown = async (dataset: string) =>
      seriesOf((await asked('metrics')).text)
        .filter(({ labels }) => labels['dataset'] === dataset)
        .map(({ name, value }) => `${name.replace('sluice_csi_dataset_', '')} ${value}`)
        .filter((line) => !line.startsWith('publish_seconds') && !line.endsWith('_total 0'));
    node.sh('mkdir -p "$1" && mount -t tmpfs live "$1"', node.fusePath('read'));
    await publish('read');
    await publish('read');
    await expect.poll(() => shown('read')).toEqual(['publishes_total 2', 'pods 2', 'hanging 0']);

    const client = await node.silentFuse(node.fusePath('stuck'));
    const volumePath = node.newTarget();
    node.sh('mkdir -p "$2" && mount -c --bind "$1" "$2"', node.fusePath('stuck'), volumePath);
    const { volumeCondition } = await plugin.call.nodeGetVolumeStats({ volumeId: 'ml-stuck', volumePath });
    expect(volumeCondition?.abnormal).toBe(true);
    await expect.poll(() => shown('stuck')).toEqual(['pods 1', 'hanging 1']);
    await client.die();
    await expect.poll(() => shown('stuck')).toEqual(['pods 1', 'hanging 0']);
    expect(await shown('read')).toEqual(['publishes_total 2', 'pods 2', 'hanging 0']);
  });

  test('ends on SIGTERM, while a call waits for a client that hangs', async () => {
    const client = await node.silentFuse(node.fusePath('hung'));
    const published = publish('hung');
    published.catch(() => {});
    await plugin.call.probe({});
    process.kill(plugin.pid, 'SIGTERM');
    await expect(published).rejects.toThrow();
    // A second SIGTERM would end it at once.
    await plugin.end('SIGCONT');
    expect(plugin.log.at(-1)).toMatchObject({ msg: 'stopped' });
    await client.die();
  });
});
