import type { Runtime } from '../../constructs/index.ts';
import { bytesText } from '../../api/index.ts';
import { podExec } from '../../kube/client/pod-exec.ts';
import type { ClusterConnection } from '../../kube/client/connection.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { Explanation } from '../../explain/finding.ts';
import type { ExplainInput } from '../../explain/gather.ts';
import { percent } from '../../explain/slow/cause.ts';
import { diagnose, type SlowReport } from '../../explain/slow/diagnose.ts';
import { gatherSlow } from '../../explain/slow/gather.ts';
import type { Bytes } from '../../explain/slow/sums.ts';
import { UsageError } from '../errors.ts';
import { durationOf } from '../settings/config-values.ts';
import { complain, type Line, styled } from '../terminal.ts';

const [SHORTEST_MS, LONGEST_MS] = [1000, 600_000];

/** Seconds between the two readings. @throws UsageError if the text is no such time */
export function secondsOf(text: string): number {
  const expected = '--for: expected a time from 1s to 10m, such as 30s';
  let ms: number;
  try {
    ms = durationOf(/^\d+$/.test(text) ? `${text}s` : text);
  } catch {
    throw new UsageError(`${expected}, found ${text}`);
  }
  if (ms < SHORTEST_MS || ms > LONGEST_MS) throw new UsageError(`${expected}, found ${text}`);
  return ms / 1000;
}

interface SlowOptions {
  readonly connection: ClusterConnection;
  readonly client: KubeClient;
  readonly runtimes: readonly Runtime[];
  readonly seconds: number;
}

/** Reads counters of pods twice, and says what makes reads of these Datasets slow. */
export async function slowReports(input: ExplainInput, { connection, ...sampling }: SlowOptions): Promise<readonly SlowReport[]> {
  complain(`reading counters twice, ${sampling.seconds} s apart`);
  const cases = await gatherSlow(input, { ...sampling, exec: podExec(connection) });
  if (cases.length === 0) throw new UsageError('--slow: expected a Dataset with a runtime, or a runtime with its Dataset, found none');
  return cases.map(diagnose);
}

/** The report for people. Objects that are not well come first: their troubles may be the cause. */
export const slowLines = (reports: readonly SlowReport[]): readonly Line[] =>
  reports.flatMap((report, i) => [...(i === 0 ? [] : ['']), ...section(report)]);

function section({ object, runtime, causes, lookedAt, unknown, ...figures }: SlowReport): readonly Line[] {
  const title = `${object}, ${runtime}: ${causes.length === 0 ? 'nothing found that makes reads slow' : causesText(causes.length)}`;
  return [
    [styled(['bold', causes.length === 0 ? 'green' : 'yellow'], title)],
    ...figureLines(figures).map((line) => `  ${line}`),
    ...causes.flatMap(({ reason, message, restsOn, toDo }) => [
      ['  ', styled('yellow', reason), `: ${message}`] as const,
      ...restsOn.map((line) => `    ${line}`),
      `    to do: ${toDo}`,
    ]),
    `  looked at: ${lookedAt.join('; ') || 'nothing'}`,
    ...unknown.map((line) => `  not known: ${line}`),
  ];
}

const causesText = (count: number): string => (count === 1 ? '1 cause' : `${count} causes, the most important first`);

function figureLines({ seconds, bytes, basis, shares }: Pick<SlowReport, 'seconds' | 'bytes' | 'basis' | 'shares'>): readonly string[] {
  if (bytes) {
    const rows: readonly (readonly [string, Bytes])[] = [
      [`in ${seconds} s`, bytes.now],
      ['since the start', bytes.total],
    ];
    return rows.map(([when, each]) => `read ${when}: ${bytesLine(each)}`);
  }
  return basis === 'status' && shares ? [`reads by the last status: ${sharesLine(shares)}`] : [];
}

function bytesLine(bytes: Bytes): string {
  const all = bytes.local + bytes.remote + bytes.store;
  if (all === 0) return 'nothing';
  return `${bytesText(all)}, ${sharesLine({ local: bytes.local / all, remote: bytes.remote / all, store: bytes.store / all })}`;
}
const sharesLine = ({ local, remote, store }: Bytes): string =>
  `${percent(local)} from the local cache, ${percent(remote)} from remote caches, ${percent(store)} from the store`;

/** The exit code of `explain`: 1 if something is not well, or makes reads slow. */
export const slowExitCode = (reports: readonly SlowReport[], ill: readonly Explanation[]): number =>
  ill.length === 0 && reports.every(({ causes }) => causes.length === 0) ? 0 : 1;
