/** A scrape of thousands of Datasets, each with all its series: its size, its time, how long it holds the event loop, and its memory. */
import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { CONTROLLER_MEMORY } from '../../src/install/memory.ts';
import { atMost, type Bench } from '../figure.ts';
import { largest, median } from '../statistics.ts';
import type { Gauged } from './metrics-process.ts';

const PROCESS = fileURLToPath(new URL('metrics-process.ts', import.meta.url));
/** One scrape answers all who ask within a second. */
const PAUSE_MS = 1_100;

/** As the controller's container sets them, with the heap that its limit of memory leads to. */
const MEMORY = { ...CONTROLLER_MEMORY, NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size=512' };

interface Scraped {
  readonly ms: number;
  readonly body: Buffer;
}

export const metrics = (datasets: number): Bench => ({
  name: `metrics-${datasets}`,
  async *run({ quick }) {
    const name = `metrics-${datasets}`;
    const server = await start(datasets);
    try {
      const before = await server.gauge();
      const runs = { gzip: [] as Scraped[], identity: [] as Scraped[] };
      for (let i = 0; i < (quick ? 2 : 10); i++)
        for (const encoding of ['gzip', 'identity'] as const) {
          runs[encoding].push(await scrape(server.port, encoding));
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      const { peakMb, longestMs, longestCpuMs, cpuSeconds } = await server.gauge();
      const packed = runs.gzip[0]!.body;
      const series =
        gunzipSync(packed)
          .toString()
          .match(/^[^#\n]/gm)?.length ?? 0;
      yield atMost(`${name}/size`, runs.identity[0]!.body.length / 1e6, 'MB', 40, { series });
      yield atMost(`${name}/gzip`, packed.length / 1e6, 'MB', 4);
      yield atMost(`${name}/time`, median(runs.gzip.map(({ ms }) => ms)) / 1000, 's', 3, {
        longest: largest(runs.gzip.map(({ ms }) => ms)) / 1000,
        cpuSeconds: (cpuSeconds - before.cpuSeconds) / (runs.gzip.length + runs.identity.length),
        plain: median(runs.identity.map(({ ms }) => ms)) / 1000,
      });
      yield atMost(`${name}/slice`, longestCpuMs, 'CPU ms', 50, { wallMs: longestMs });
      yield atMost(`${name}/rss`, peakMb - before.peakMb, 'MB', 150, { with: peakMb, before: before.peakMb });
    } finally {
      server.end();
    }
  },
});

async function start(datasets: number) {
  const child = spawn(process.execPath, [PROCESS, String(datasets)], {
    env: { ...process.env, ...MEMORY },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async <T>() => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the server of metrics has ended');
    return JSON.parse(value) as T;
  };
  const { port } = await read<{ readonly port: number }>();
  return {
    port,
    gauge: () => {
      child.stdin.write('gauge\n');
      return read<Gauged>();
    },
    end: () => child.stdin.end('end\n'),
  };
}

const scrape = (port: number, encoding: string): Promise<Scraped> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    request({ port, host: '127.0.0.1', path: '/metrics', headers: { 'accept-encoding': encoding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ ms: performance.now() - began, body: Buffer.concat(chunks) }));
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
