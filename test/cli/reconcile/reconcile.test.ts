/** Reasons that keep the controller from starting, reported by the real command line. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root, sluice } from '../run.ts';

function kubeconfigFor(server: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't' } }],
  };
  writeFileSync(join(folder, 'config'), JSON.stringify(config));
  return join(folder, 'config');
}

/** An API server that has a version and nothing else; when asked which kinds it knows, it answers as `kinds` says, 0 being no answer. */
async function emptyServer(minor: string, kinds: { status: number } = { status: 404 }): Promise<string> {
  const server = createServer((request, response) => {
    const status = request.url === '/version' ? 200 : request.url === '/apis/data.fluid.io/v1alpha1' ? kinds.status : 404;
    if (status === 0) return request.socket.destroy();
    const answer = status === 200 ? { major: '1', minor, gitVersion: `v1.${minor}.0` } : { kind: 'Status', code: status };
    return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('reconcile', () => {
  test('refuses a Kubernetes older than 1.29', async () => {
    const kubeconfig = kubeconfigFor(await emptyServer('28+'));
    expect(await sluice(['reconcile', '--kubeconfig', kubeconfig])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'sluice: expected Kubernetes 1.29 or newer, found v1.28+.0\n',
    });
  });
  test('reports that no server answers', async () => {
    const { code, stderr } = await sluice(['reconcile', '--kubeconfig', kubeconfigFor('http://127.0.0.1:9')]);
    expect(stderr).toMatch(/^sluice: the API server does not answer: GET \/version: connect ECONNREFUSED/);
    expect(code).toBe(1);
  });
  test('says all that is wrong with its flags and environment before it connects', async () => {
    const { code, stderr } = await sluice(['reconcile', '--probe-interval', '60'], { env: { MOUNT_ROOT: 'mnt' } });
    expect(stderr.trimEnd().split('\n')).toEqual([
      'sluice: MOUNT_ROOT: expected an absolute path of letters, digits, "-" and "_", such as /runtime-mnt, found "mnt"',
      'sluice: --probe-interval: expected a duration such as 60s or 5m, or 0, found "60"',
    ]);
    expect(code).toBe(2);
  });
  /** As a process that serves its health: what it says, and how it ends. */
  function started(server: string) {
    const argv = ['reconcile', '--kubeconfig', kubeconfigFor(server), '--metrics-addr', '127.0.0.1:0'];
    const child = spawn(process.execPath, [join(root, 'src/cli/main.ts'), ...argv]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: { readonly msg: string; readonly missing?: readonly string[]; readonly port?: number; readonly error?: string }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as (typeof lines)[number]));
    let stderr = '';
    child.stderr.on('data', (text) => (stderr += text));
    const ended = new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
    return { child, lines, ended };
  }

  test('waits for the CRDs, names those that are missing, and ends at SIGTERM', async () => {
    const { child, lines, ended } = started(await emptyServer('34'));
    await expect.poll(() => lines.at(-1)?.missing).toContain('datasets.data.fluid.io');
    const port = lines.find((line) => line.port)?.port;
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect({ status: ready.status, text: await ready.text() }).toEqual({
      status: 503,
      text: 'waiting for the API server, the CRDs or the namespace of the lease\n',
    });
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, stderr: '' });
    expect(lines.at(-1)?.msg).toBe('stopped');
  });
  test.each([
    ['breaks the connection', 0, 'other side closed'],
    ['is not well', 500, '500'],
    ['is overloaded', 429, '429'],
  ])('goes on to wait for the CRDs while the API server %s, and says so', async (_, status, why) => {
    const kinds = { status };
    const { child, lines, ended } = started(await emptyServer('34', kinds));
    await expect.poll(() => lines.at(-1)).toMatchObject({ msg: 'the API server does not answer', error: expect.stringContaining(why) });
    kinds.status = 404;
    await expect.poll(() => lines.at(-1)?.missing).toContain('datasets.data.fluid.io');
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, stderr: '' });
  });
  test('ends when the API server refuses to say which kinds it knows, rather than to be alive and do nothing', async () => {
    const { ended } = started(await emptyServer('34', { status: 403 }));
    expect(await ended).toEqual({
      code: 1,
      stderr: 'sluice: the API server does not return its list of kinds: GET /apis/data.fluid.io/v1alpha1: 403\n',
    });
  });
});
