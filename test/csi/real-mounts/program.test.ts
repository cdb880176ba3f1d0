/** `sluice csi` as a process, without an API server. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../../harness/control-plane/ports.ts';
import { root } from '../../cli/run.ts';
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

  test('ends on SIGTERM, while a call waits for a client that hangs', async () => {
    const path = node.fusePath('hung');
    const client = await node.silentFuse(path);
    const published = plugin.call.nodePublishVolume({
      volumeId: 'ml-hung',
      targetPath: node.newTarget(),
      volumeCapability: { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } },
      volumeContext: { fluid_path: path, mount_type: '' },
    });
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
