/**
 * `npm test`: the checks, then every test: unit, programs, simulation, adversary, cluster and node; closes with seconds by test file
 * and one line, `N passed, N failed`. Begins with what needs no build, while set-up builds. Ends with some tests on the newest Kubernetes, if
 * it is built.
 *
 *   --use-cluster   run the cluster tests against the cluster of KUBECONFIG instead of a control plane of our own
 *   anything else   is passed to vitest, e.g. a file name
 */
import { NEWEST_KUBERNETES, PATCHES } from '../harness/tools/kubernetes.ts';
import { missingTools } from '../harness/tools/tools.ts';
import { inBackground } from './background.ts';
import { closingLine, countReport, type Counts, type FileReport, NONE, sum, timeLines } from './test-counts.ts';
import { SHORT_FILES } from './versions/topics.ts';
import { createRunner } from './vitest.ts';

type Env = Readonly<Record<string, string>>;

interface Part {
  readonly counts: Counts;
  readonly files: readonly FileReport[];
}

const asked = process.argv.slice(2);
const useCluster = asked.includes('--use-cluster');
const filters = asked.filter((argument) => argument !== '--use-cluster');
const runner = createRunner();
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
  const [types, published] = await Promise.all([
    runner.run('node', ['scripts/check.ts', 'types']),
    runner.run('node', ['scripts/package-check.ts']),
  ]);
  yield await vitest(['unit'], ['--maxWorkers=100%']);
  const others = await runner.run('node', ['scripts/check.ts', 'layers', 'unused', 'generated', 'format', 'lint']);
  // The checks count as one test; so does what would be published.
  yield one(types || others);
  yield one(published);
  const unbuilt = ['simulation', 'adversary'];
  // Beside tests that wait for clusters they take no time.
  const isEarly = setup.isRunning();
  if (isEarly) yield await vitest(unbuilt);
  yield* built(['programs', ...(isEarly ? [] : unbuilt), 'cluster', 'node']);
  if (!useCluster) yield* onNewest();
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

/** Set-up does not build the newest Kubernetes: where `npm run versions` has, a minute of tests runs on it. */
async function* onNewest(): AsyncGenerator<Part> {
  const env = { SLUICE_TEST_KUBERNETES: NEWEST_KUBERNETES };
  const isBuilt = missingTools('control plane', { ...process.env, ...env }).length === 0;
  const what = isBuilt ? 'some tests run on it too' : 'not built here, so that no test runs on it; npm run versions builds it';
  console.log(`\nKubernetes ${PATCHES[NEWEST_KUBERNETES]}: ${what}`);
  if (isBuilt) yield await vitest(['cluster'], SHORT_FILES, env);
}

function one(status: number): Part {
  return { counts: status === 0 ? { ...NONE, passed: 1 } : { ...NONE, failed: 1 }, files: [] };
}

async function vitest(projects: readonly string[], args: readonly string[] = [], env: Env = {}): Promise<Part> {
  const { files, status } = await runner.vitest(projects, args, { ...env, ...(useCluster && { SLUICE_USE_CLUSTER: '1' }) });
  return { counts: countReport(files, status), files };
}
