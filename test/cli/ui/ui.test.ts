/** `sluice ui` and the page of `sluice playground`, as a user starts them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageFiles } from '../../../src/cli/ui/page-files.ts';
import { createClient } from '../../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import type { Fleet } from '../../../src/ui/wire.ts';
import { type ControllerProcess, endProcesses, startCommand } from '../../support/controller-process.ts';
import { kinds } from '../../support/kinds.ts';
import { eventually } from '../../support/sluice.ts';
import { ask, signIn } from '../../ui/requests.ts';
import { sluice } from '../run.ts';

let folder: string;
let kubeconfig: string;
let playground: ControllerProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-ui-'));
  kubeconfig = join(folder, 'kubeconfig');
  playground = startCommand(['playground', '--kubeconfig', kubeconfig], { TMPDIR: folder });
  await eventually(() => expect(playground.lines.join('\n')).toContain('Ctrl-C ends it'), 110);
});
afterAll(async () => {
  await playground?.end('SIGTERM');
  await endProcesses();
  rmSync(folder, { recursive: true, force: true });
});

const addressIn = ({ lines }: ControllerProcess) => {
  const [, port = '', token = ''] = /http:\/\/127\.0\.0\.1:(\d+)\/#token=(\S+)/.exec(lines.join('\n')) ?? [];
  return { port: Number(port), token };
};
async function fleetAt({ port, token }: ReturnType<typeof addressIn>): Promise<Fleet> {
  const headers = await signIn(port, token);
  return (await ask(port, '/api/fleet', { headers })).json<Fleet>();
}

test('both print an address that signs in, and show the same Dataset', async () => {
  const client = createClient(connectionFromKubeconfig([kubeconfig]), { fieldManager: 'a-user' });
  const spec = { mounts: [{ mountPoint: 's3://bucket', name: 'x' }] };
  await client.create(kinds.Dataset, {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'Dataset',
    metadata: { namespace: 'default', name: 'demo' },
    spec,
  });
  await client.close();
  const own = startCommand(['ui', '--kubeconfig', kubeconfig]);
  await expect.poll(() => addressIn(own).port, { timeout: 60_000 }).toBeGreaterThan(0);
  const seen = await Promise.all([fleetAt(addressIn(playground)), fleetAt(addressIn(own))]);
  for (const { datasets, viewer } of seen) {
    expect(viewer).toEqual({ name: 'playground', cluster: 'sluice-playground', hidden: [] });
    expect(datasets).toMatchObject([{ namespace: 'default', name: 'demo', healthy: false }]);
  }
  expect((await ask(addressIn(own).port, '/')).text).toContain('<!doctype html>');
  await own.end('SIGINT');
});

test('-n shows the named namespaces alone', async () => {
  const own = startCommand(['ui', '--kubeconfig', kubeconfig, '-n', 'other', '-n', 'kube-system', '-n', 'other']);
  await expect.poll(() => own.lines.join('\n'), { timeout: 60_000 }).toContain('Shown: other, kube-system.');
  expect(await fleetAt(addressIn(own))).toMatchObject({ datasets: [], viewer: { namespaces: ['other', 'kube-system'] } });
  await own.end('SIGINT');
});

test('says what is wrong with a port, and where no cluster answers', async () => {
  expect(await sluice(['ui', '--kubeconfig', kubeconfig, '--port', 'many'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('sluice: --port: expected '),
  });
  const nowhere = join(folder, 'nowhere');
  const config = {
    'current-context': 'x',
    clusters: [{ name: 'x', cluster: { server: 'http://127.0.0.1:9' } }],
    contexts: [{ name: 'x', context: { cluster: 'x' } }],
  };
  writeFileSync(nowhere, JSON.stringify(config));
  expect(await sluice(['ui', '--kubeconfig', nowhere])).toMatchObject({ code: 1, stderr: expect.stringContaining('127.0.0.1:9') });
  const taken = String(addressIn(playground).port);
  expect(await sluice(['ui', '--kubeconfig', kubeconfig, '--port', taken])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`--port ${taken} cannot be served`),
  });
});

test('the files of the page are at most 200 KB, and ask nobody else for anything', async () => {
  const files = await pageFiles();
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['/', '/page.js', '/page.css']));
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(bytes).toBeLessThanOrEqual(200_000);
  const addresses = Object.values(files).flatMap((text) => text.match(/https?:\/\/[\w.]+/g) ?? []);
  // Names of namespaces of XML are no addresses.
  expect(addresses.filter((address) => !/^http:\/\/www\.w3\.org$/.test(address))).toEqual([]);
});
