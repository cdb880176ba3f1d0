import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fault that is put into a copy of the code, to prove that a program of tests finds it. */
export interface PlantedFault {
  readonly name: string;
  /** The harm, and its victim. */
  readonly reason: string;
  /** `find` occurs in `file`, a path below the root, exactly once. */
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

export interface PlantedRun {
  /** The exit code; undefined when it was ended, by a signal or for its time. */
  readonly status: number | undefined;
  /** The program's output on both channels, in order. */
  readonly output: string;
}

const root = join(import.meta.dirname, '../..');
/** Compiled folders are copied, since a link would lead to the code without the fault; the rest is linked. */
const COPIED = new Set(['src', 'runtimes', 'test', 'scripts', 'crds', 'bench', 'harness', 'examples']);
const LEFT_OUT = new Set(['.git', 'build', 'dist']);
/** A configuration that is linked would name the folder that it lies in. */
const isFile = /\.(json|ts|cjs|mjs|yaml)$/;

/**
 * Runs a command in a copy of the code that has the fault. The copy is removed afterwards.
 *
 * @param command argv; programs of the project's packages are found
 * @param limitMs after so long it is ended, with everything that it started
 * @throws Error when an edit does not fit the code: whoever changed that code plants the fault anew
 * @example
 * const { status, output } = await runPlanted(fault, ['vitest', 'run', '--project', 'adversary']);
 */
export async function runPlanted(
  fault: PlantedFault,
  command: readonly string[],
  { env = {}, limitMs = 3_600_000 }: { readonly env?: Readonly<Record<string, string>>; readonly limitMs?: number } = {},
): Promise<PlantedRun> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-planted-'));
  try {
    copyTo(dir);
    for (const edit of fault.edits) change(dir, fault.name, edit);
    return await run(dir, command, env, limitMs);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** @throws Error when a fault's edits do not fit the code as it is now. */
export function fits(fault: PlantedFault): void {
  for (const edit of fault.edits) edited(root, fault.name, edit);
}

function copyTo(dir: string): void {
  for (const name of readdirSync(root)) {
    if (LEFT_OUT.has(name)) continue;
    if (COPIED.has(name) || isFile.test(name)) cpSync(join(root, name), join(dir, name), { recursive: true });
    else symlinkSync(join(root, name), join(dir, name));
  }
}

function change(dir: string, name: string, edit: PlantedFault['edits'][number]): void {
  writeFileSync(join(dir, edit.file), edited(dir, name, edit));
}

function edited(dir: string, name: string, { file, find, replace }: PlantedFault['edits'][number]): string {
  const text = readFileSync(join(dir, file), 'utf8');
  const found = text.split(find).length - 1;
  if (found !== 1) throw new Error(`planted fault ${name}: expected ${JSON.stringify(find)} once in ${file}, found it ${found} times`);
  return text.replace(find, () => replace);
}

function run(
  dir: string,
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  limitMs: number,
): Promise<PlantedRun> {
  return new Promise((resolve, reject) => {
    const bin = join(root, 'node_modules/.bin');
    // A group of its own, so that what it started ends with it.
    const child = spawn(program, args, {
      cwd: dir,
      detached: true,
      env: { ...process.env, PATH: `${bin}:${process.env['PATH']}`, ...env },
    });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const limit = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), limitMs);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ status: code ?? undefined, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}
