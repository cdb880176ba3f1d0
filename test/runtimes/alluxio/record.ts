/**
 * Records what a real Alluxio prints and answers, as the fixtures beside this file: `node test/runtimes/alluxio/record.ts`, as root on
 * Linux after scripts/setup.sh. Of a command there is what it wrote (NAME.txt, NAME.stderr.txt) and in commands.json how it was called and
 * its exit code; of a web port's path the answer (NAME.json), if it is not empty. Which is which says requests.json. `npm run format` comes
 * after it.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesRead, NUMBERS, OPTIONS, startAlluxio } from '../../node/alluxio-pods.ts';

const DIR = join(import.meta.dirname, 'fixtures');
const began = performance.now();
const say = (what: string) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${what}`);

const pods = await startAlluxio(say);
try {
  rmSync(DIR, { recursive: true, force: true });
  mkdirSync(DIR, { recursive: true });
  const commands: Record<string, { readonly argv: readonly string[]; readonly code: number; readonly seconds: number }> = {};
  const requests: Record<string, { readonly port: number; readonly path: string; readonly body?: object; readonly seconds: number }> = {};

  const command = async (name: string, ...argv: readonly string[]) => {
    const start = performance.now();
    const { code, stdout, stderr } = await exec('alluxio', ...argv);
    const seconds = rounded(start);
    commands[name] = { argv: ['alluxio', ...argv], code, seconds };
    writeFileSync(join(DIR, `${name}.txt`), stdout);
    if (stderr !== '') writeFileSync(join(DIR, `${name}.stderr.txt`), stderr);
    say(`${name}: exit code ${code}, ${seconds} s`);
    return stdout;
  };
  const request = async (name: string, port: number, path: string, body?: object) => {
    const start = performance.now();
    const answer = await pods.ask(port === 30000 ? 'demo-worker-0' : 'demo-master-0', port, path, body);
    requests[name] = { port, path, ...(body === undefined ? {} : { body }), seconds: rounded(start) };
    // Half of the file would be settings that no test reads. Some answers are empty.
    const shown = JSON.stringify(answer, (key, value: unknown) => (key === 'configuration' ? {} : value), 2);
    if (shown !== undefined) writeFileSync(join(DIR, `${name}.json`), `${shown}\n`);
    say(`${name}: ${requests[name].seconds} s`);
  };

  const options = Object.entries(OPTIONS).flatMap(([key, value]) => ['--option', `${key}=${value}`]);
  await command('fs-mount-none', 'fs', 'mount');
  await command('fs-mount-add', 'fs', 'mount', '--readonly', '--shared', ...options, '/data', 's3://bucket');
  await command('fs-mount-again', 'fs', 'mount', ...options, '/data', 's3://bucket');
  // Which is taken, as an empty one.
  await command('fs-mount-no-bucket', 'fs', 'mount', ...options, '/none', 's3://no-such-bucket');
  await command('fs-ls-no-bucket', 'fs', 'ls', '-R', '/');
  await command('fs-count-no-bucket', 'fs', 'count', '/');
  await command('fs-unmount-no-bucket', 'fs', 'unmount', '/none');
  await command('fs-mount', 'fs', 'mount');
  await command('fs-ls-cold', 'fs', 'ls', '-R', '/');
  await request('metrics-cold', 19999, '/metrics/json/');
  await command('fs-load-submit', 'fs', 'load', '/data', '--submit');
  for (;;) {
    const progress = await command('fs-load-progress', 'fs', 'load', '/data', '--progress');
    if (/SUCCEEDED|FAILED/.test(progress)) break;
  }
  await command('fs-load-missing', 'fs', 'load', '/data/missing', '--progress');
  await command('fs-distributed-load', 'fs', 'distributedLoad', '/data');
  await pods.exec('demo-fuse', 'reader', 'md5sum', join(pods.node.mountRoot, 'alluxio-fuse/data/numbers'));
  while ((await bytesRead(pods)).cache < NUMBERS.bytes) await sleep(500);
  await command('fs-ls-warm', 'fs', 'ls', '-R', '/');
  await command('fs-count', 'fs', 'count', '/');
  await command('fs-du', 'fs', 'du', '-s', '/');
  await command('fs-load-metadata', 'fs', 'loadMetadata', '-R', '/');
  await command('report', 'fsadmin', 'report');
  for (const category of ['capacity', 'metrics', 'summary', 'ufs']) await command(`report-${category}`, 'fsadmin', 'report', category);
  await command('get-conf', 'getConf', 'alluxio.underfs.version');
  await request('metrics', 19999, '/metrics/json/');
  await request('master-info', 19999, '/api/v1/master/info');
  for (const page of ['overview', 'mounttable', 'workers', 'metrics'])
    await request(`master-${page}`, 19999, `/api/v1/master/webui_${page}`);
  await request('master-browse', 19999, '/api/v1/master/webui_browse?path=/data');
  await request('worker-metrics', 30000, '/metrics/json/');
  await request('worker-info', 30000, '/api/v1/worker/info');
  await request('proxy-list-status', 39999, '/api/v1/paths//data/list-status', {});
  await command('fs-free', 'fs', 'free', '-f', '/data');
  await command('fs-free-missing', 'fs', 'free', '-f', '/missing');
  await command('fs-unmount', 'fs', 'unmount', '/data');
  await command('fs-unmount-again', 'fs', 'unmount', '/data');
  await request('proxy-mount', 39999, '/api/v1/paths//data/mount?src=s3://bucket', { readOnly: true, properties: OPTIONS });
  await request('proxy-unmount', 39999, '/api/v1/paths//data/unmount', {});

  for (const [file, index] of Object.entries({ commands, requests }))
    writeFileSync(join(DIR, `${file}.json`), `${JSON.stringify(index, null, 2)}\n`);
} catch (error) {
  console.error(await pods.logs());
  throw error;
} finally {
  await pods.stop();
  say('gone');
}

function exec(...argv: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { kubectlPath, kubeconfig } = pods.plane;
  const args = ['--kubeconfig', kubeconfig, 'exec', 'demo-master-0', '-c', 'alluxio-master', '--', ...argv];
  return new Promise((resolve) => {
    execFile(kubectlPath, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      // kubectl adds a line of its own, and ends with the command's code.
      resolve({ code: Number(error?.code ?? 0), stdout, stderr: stderr.replace(/command terminated with exit code \d+\n$/, '') }),
    );
  });
}

function rounded(start: number): number {
  return Math.round(performance.now() - start) / 1000;
}
