/**
 * `npm test`: the checks, then every test: unit, programs, simulation, adversary, cluster and node; closes with seconds by test file
 * and one line, `N passed, N failed`. Begins with what needs no build, while set-up builds.
 *
 *   --use-cluster   run the cluster tests against the cluster of KUBECONFIG instead of a control plane of our own
 *   anything else   is passed to vitest, e.g. a file name
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inBackground } from './background.ts';
import { closingLine, countReport, type Counts, type FileReport, NONE, sum, timeLines } from './test-counts.ts';
import { REPORT_FILE } from './test-reporter.ts';

interface Part {
  readonly counts: Counts;
  readonly files: readonly FileReport[];
}

const asked = process.argv.slice(2);
const useCluster = asked.includes('--use-cluster');
const filters = asked.filter((argument) => argument !== '--use-cluster');
const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // Ctrl-C has reached it already, and a second one would not let it clean up.
    if (signal !== 'SIGINT') for (const child of running) child.kill(signal);
    process.exit(130);
  });

// As root it says first what it installs.
const setup = inBackground(['bash', 'scripts/setup.sh'], (line) => /^(setup:|  - )/.test(line));
const parts: Part[] = [];
for await (const part of filters.length > 0 ? some() : all()) parts.push(part);
const counts = parts.map((part) => part.counts).reduce(sum, NONE);
const files = parts.flatMap((part) => part.files);
console.log(['', ...timeLines(files), '', closingLine(counts)].join('\n'));
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

/** The part that fails soonest comes first. */
async function* all(): AsyncGenerator<Part> {
  // Both have one thread.
  const [types, published] = await Promise.all([run('node', ['scripts/check.ts', 'types']), run('node', ['scripts/package-check.ts'])]);
  yield await vitest(['unit'], ['--maxWorkers=100%']);
  const others = await run('node', ['scripts/check.ts', 'layers', 'unused', 'generated', 'format', 'lint']);
  // The checks count as one test; so does what would be published.
  yield one(types || others);
  yield one(published);
  const unbuilt = ['simulation', 'adversary'];
  // Beside tests that wait for clusters they take no time.
  const isEarly = setup.isRunning();
  if (isEarly) yield await vitest(unbuilt);
  yield* built(['programs', ...(isEarly ? [] : unbuilt), 'cluster', 'node']);
}

async function* some(): AsyncGenerator<Part> {
  yield* built(['unit', 'programs', 'simulation', 'adversary', 'cluster', 'node'], filters);
}

/** Once set-up has ended. */
async function* built(projects: readonly string[], args: readonly string[] = []): AsyncGenerator<Part> {
  if (setup.isRunning()) console.log('\nwaiting for what set-up builds:');
  const status = await setup.shown();
  if (status === 0) yield await vitest(projects, args);
  else {
    console.log(`\nset-up failed, so that these tests do not run: ${projects.join(', ')}`);
    yield one(status);
  }
}

function one(status: number): Part {
  return { counts: status === 0 ? { ...NONE, passed: 1 } : { ...NONE, failed: 1 }, files: [] };
}

async function vitest(projects: readonly string[], args: readonly string[] = []): Promise<Part> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  process.once('exit', remove);
  const report = join(dir, 'report.json');
  const chosen = projects.flatMap((name) => ['--project', name]);
  const reporters = ['--reporter=default', '--reporter=./scripts/test-reporter.ts'];
  const status = await run('vitest', ['run', ...chosen, ...reporters, ...args], {
    [REPORT_FILE]: report,
    ...(useCluster && { SLUICE_USE_CLUSTER: '1' }),
  });
  const files = readReport(report);
  remove();
  return { counts: countReport(files, status), files };
}

/** The exit code; 1 when a signal ended it. */
function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
}

/** Nothing when vitest ended before it wrote any. */
function readReport(file: string): readonly FileReport[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly FileReport[];
  } catch {
    return [];
  }
}
