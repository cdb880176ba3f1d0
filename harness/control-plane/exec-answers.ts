/** Answers of simulated pods to `exec`, as tests see them. The answers are files, so any process of a run may give them. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecAnswer, ExecCall } from '../../src/playground/engines/exec-call.ts';
import type { Pattern, StoredAnswer } from './exec-replay.ts';

export interface CannedAnswer extends ExecAnswer {
  /** A list fits every command that begins with its words; a pattern is looked for in the words joined by spaces. */
  readonly argv: RegExp | readonly string[];
  readonly namespace?: string;
  readonly pod?: RegExp | string;
  readonly container?: string;
  /** Only so many times; then the answers given before count again. */
  readonly times?: number;
}

export interface ExecAnswers {
  /** From now on, what fits `argv` is answered so. The newest answer that fits wins. */
  answer(canned: CannedAnswer): Promise<void>;
  /** Commands since the start, or since `reset`. */
  calls(filter?: { readonly namespace?: string; readonly pod?: string }): Promise<readonly ExecCall[]>;
  /** Takes back the answers given here, and forgets the calls. */
  reset(): Promise<void>;
}

export function execAnswers(dir: string): ExecAnswers {
  const log = join(dir, 'exec', 'calls.ndjson');
  let own: readonly string[] = [];
  let seen = sizeOf(log);
  return {
    answer: async (canned) => {
      const file = join(dir, 'exec', 'answers', `${Date.now()}-${String(process.hrtime.bigint()).padStart(20, '0')}.json`);
      // Renamed into place: the keeper never reads half an answer.
      await writeFile(`${file}.new`, JSON.stringify(stored(canned)));
      await rename(`${file}.new`, file);
      own = [...own, file];
    },
    calls: async (filter = {}) =>
      readLog(log, seen)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as ExecCall)
        .filter((call) => (filter.namespace ?? call.namespace) === call.namespace && (filter.pod ?? call.pod) === call.pod),
    reset: async () => {
      for (const file of own) rmSync(file, { force: true });
      own = [];
      seen = sizeOf(log);
    },
  };
}

/** As it lies in a file. */
export function stored({ argv, pod, ...rest }: CannedAnswer): StoredAnswer {
  return {
    ...rest,
    argv: argv instanceof RegExp ? pattern(argv) : argv,
    ...(pod === undefined ? {} : { pod: pod instanceof RegExp ? pattern(pod) : pod }),
  };
}

function pattern({ source, flags }: RegExp): Pattern {
  return { source, flags };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function readLog(file: string, from: number): string {
  return sizeOf(file) === 0 ? '' : readFileSync(file).subarray(from).toString('utf8');
}
