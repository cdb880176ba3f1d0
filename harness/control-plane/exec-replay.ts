/** The keeper's half of the exec answers: finds the answer to a command, writes down that it was asked. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngines } from '../../src/playground/engines/engines.ts';
import type { ExecAnswer, ExecCall } from '../../src/playground/engines/exec-call.ts';

/** An answer as it lies in a file of `<dir>/exec/answers`; regular expressions as their source and flags. */
export interface StoredAnswer extends ExecAnswer {
  readonly argv: readonly string[] | Pattern;
  readonly namespace?: string;
  readonly pod?: string | Pattern;
  readonly container?: string;
  readonly times?: number;
}

export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

export interface Replay {
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly exitCode: number;
  readonly delayMs: number;
}

const given = new Map<string, number>();
const builtIn = createEngines();

/** The newest answer that fits, else the built-in ones, else "command not found". */
export function answerTo(dir: string, call: ExecCall): Replay {
  const folder = join(dir, 'exec', 'answers');
  const stored = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .toReversed()
    .map((file) => ({ file, answer: JSON.parse(readFileSync(join(folder, file), 'utf8')) as StoredAnswer }))
    .find(({ file, answer }) => fits(answer, call) && (given.get(file) ?? 0) < (answer.times ?? Number.POSITIVE_INFINITY));
  if (stored !== undefined) given.set(stored.file, (given.get(stored.file) ?? 0) + 1);
  const answer = stored?.answer ?? builtIn(call) ?? { stderr: `${call.argv[0]}: command not found\n`, exitCode: 127 };
  const { stdout = '', stderr = '', exitCode = 0, delayMs = 0 } = answer;
  return { stdoutFile: textFile(dir, stdout), stderrFile: textFile(dir, stderr), exitCode, delayMs };
}

/** A list fits a command that begins with its words; a pattern is looked for in the words joined by spaces. */
export function fits(answer: StoredAnswer, call: ExecCall): boolean {
  return (
    (answer.namespace ?? call.namespace) === call.namespace &&
    (answer.container ?? call.container) === call.container &&
    (answer.pod === undefined || (typeof answer.pod === 'string' ? answer.pod === call.pod : matches(answer.pod, call.pod))) &&
    ('source' in answer.argv ? matches(answer.argv, call.argv.join(' ')) : answer.argv.every((word, index) => call.argv[index] === word))
  );
}

function matches({ source, flags }: Pattern, text: string): boolean {
  return new RegExp(source, flags.replace(/[gy]/g, '')).test(text);
}

export function recordCall(dir: string, call: ExecCall): void {
  appendFileSync(join(dir, 'exec', 'calls.ndjson'), `${JSON.stringify(call)}\n`);
}

let texts = new Map<string, string>();

function textFile(dir: string, text: string): string {
  if (text === '') return '/dev/null';
  const known = texts.get(text);
  if (known !== undefined && existsSync(known)) return known;
  // Answers that change with every call would fill the memory otherwise.
  if (texts.size > 1000) texts = new Map();
  const folder = join(dir, 'exec', 'texts');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.hrtime.bigint()}.txt`);
  writeFileSync(file, text);
  texts.set(text, file);
  return file;
}
