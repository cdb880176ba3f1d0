/** The output of `sluice explain --slow` while a pod reads on a real node. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Role, Runtime } from '../../src/constructs/index.ts';
import type { SlowReport } from '../../src/explain/slow/diagnose.ts';
import type { Where } from './dataset-users.ts';

/** Seconds between the two readings, in which the busy node has to read something. */
const SECONDS = 10;

/** The diagnosis of a Dataset that has something to say. */
export async function explained({ cluster, space }: Where, dataset: string, seconds: number): Promise<SlowReport> {
  const asked = ['explain', dataset, '-n', space.namespace, '--slow', '--for', `${seconds}s`, '-o', 'json'];
  const { code, stdout, stderr } = await cluster.sluice(...asked);
  expect(code, stderr).toBe(1);
  const { items } = JSON.parse(stdout) as { readonly items: readonly SlowReport[] };
  const [report] = items;
  if (!report) throw new Error(`no report: ${stderr}`);
  return report;
}

/**
 * Reads by this script, in the pod, for as long as the command takes: what it reads is read between the two readings too.
 * @param script one round; $i counts the rounds
 */
export async function explainedWhile(where: Where, pod: string, dataset: string, script: string): Promise<SlowReport> {
  const { cluster, space } = where;
  const stopFile = `/tmp/stop-${dataset}`;
  const inPod = (words: string) => cluster.plane.kubectl('exec', '-n', space.namespace, pod, '--', 'sh', '-ec', words);
  await inPod(`rm -f ${stopFile}`);
  const reads = inPod(`i=0; while [ ! -e ${stopFile} ]; do ${script}; i=$((i+1)); done`);
  // Awaited below; a command that fails before is no unhandled rejection.
  reads.catch(() => {});
  const stop = async () => {
    await inPod(`touch ${stopFile}`);
    await reads;
  };
  try {
    return await explained(where, dataset, SECONDS);
  } finally {
    await stop();
  }
}

/**
 * Writes what a pod prints of its counters as a fixture of unit tests, if SLUICE_RECORD is set.
 * @param ports of its containers, by name
 */
export async function record(
  { cluster, space }: Where,
  runtime: Runtime,
  { pod, role, ports = {} }: { readonly pod: string; readonly role: Role; readonly ports?: Readonly<Record<string, number>> },
): Promise<void> {
  const command = runtime.diagnosis()?.counters?.command({ role, ports });
  if (process.env['SLUICE_RECORD'] === undefined || !command) return;
  const container = command.container === undefined ? [] : ['-c', command.container];
  const answer = await cluster.plane.kubectl('exec', '-n', space.namespace, pod, ...container, '--', ...command.argv);
  const folder = join(import.meta.dirname, '../runtimes', runtime.type, 'counters');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${role}.txt`), answer);
}

/** Reasons and figures, for a failed test. */
export const told = (report: SlowReport): string => JSON.stringify(report, null, 1);
export const reasonsOf = ({ causes }: SlowReport): readonly string[] => causes.map(({ reason }) => reason);
