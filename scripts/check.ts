/**
 * `npm run check`: everything that can be known without a cluster, a line a step. Exit code 1 when any step fails.
 *
 *   npm run check -- lint types     only these
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { styleText } from 'node:util';
import pLimit from 'p-limit';
import { CHECKS, npmProgram } from '../harness/tools/npm.ts';
import { layers } from './layers.ts';

const root = join(import.meta.dirname, '..');

interface Result {
  readonly ok: boolean;
  readonly output: string;
}
interface Step {
  readonly name: string;
  readonly run: () => Promise<Result>;
}

const BUILD_INFO = 'node_modules/.cache/sluice/check.tsbuildinfo';

// The longest first: two at a time, they end together.
const STEPS: readonly Step[] = [
  { name: 'unit', run: program('vitest', 'run', '--project', 'unit', '--reporter=dot', '--maxWorkers=100%') },
  { name: 'types', run: types },
  { name: 'layers', run: () => layers(root) },
  { name: 'regexps', run: program('node', 'scripts/regexps.ts') },
  { name: 'docstrings', run: program('node', 'scripts/docstrings.ts') },
  { name: 'records', run: program('node', 'scripts/records.ts') },
  { name: 'names', run: program('node', 'scripts/type-names.ts') },
  { name: 'unused', run: fetched('knip', '--no-progress') },
  { name: 'generated', run: program('node', 'scripts/gen.ts', '--check') },
  { name: 'format', run: fetched('biome', 'format', '--reporter=summary', '.') },
  { name: 'lint', run: fetched('oxlint', '--quiet') },
];

// So that no half of what is fetched is left.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`check: expected steps among ${STEPS.map(({ name }) => name).join(', ')}, found ${unknown.join(', ')}`);
  process.exit(2);
}
const began = performance.now();
const failures = await all(
  STEPS.filter(({ name }) => asked.length === 0 || asked.includes(name)),
  2,
);
for (const { name, output } of failures) console.log(`\n${styleText('bold', `── ${name} `.padEnd(60, '─'))}\n${output.trim()}`);
console.log(`\n${failures.length === 0 ? 'all well' : `${failures.length} failed`} in ${seconds(performance.now() - began)}`);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Runs them, so many at a time; returns those that failed. */
async function all(steps: readonly Step[], atOnce: number): Promise<readonly (Result & Step)[]> {
  const results = await pLimit(atOnce).map(steps, async (step) => {
    const start = performance.now();
    const result = await step.run().catch((error: unknown) => ({ ok: false, output: String(error) }));
    console.log(
      `${result.ok ? styleText('green', '✓') : styleText('red', '✗')} ${step.name.padEnd(10)} ${seconds(performance.now() - start)}`,
    );
    return { ...step, ...result };
  });
  return results.filter(({ ok }) => !ok);
}

/** Types of the files that Node runs, then of those that browsers run (src/ui/page), which have other globals. */
async function types(): Promise<Result> {
  const incremental = ['--noEmit', '--incremental', '--tsBuildInfoFile'];
  const ours = await program('tsc', ...incremental, BUILD_INFO)();
  const page = await program('tsc', ...incremental, BUILD_INFO.replace('check', 'page'), '-p', 'src/ui/page')();
  return { ok: ours.ok && page.ok, output: ours.output + page.output };
}

/** One of ours, from node_modules/.bin. */
function program(command: string, ...args: readonly string[]): () => Promise<Result> {
  return () => ended(join(root, 'node_modules/.bin', command), args);
}

/** One of tools/checks. */
function fetched(command: string, ...args: readonly string[]): () => Promise<Result> {
  return async () => ended(await npmProgram(CHECKS, command), args);
}

function ended(path: string, args: readonly string[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
    const child = spawn(path, args, { cwd: root, env: { ...process.env, ...colour } });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
