/**
 * `npm run versions -- [1.29 1.37 …]`: the tests that a version of Kubernetes could change, on a control plane of each of these versions;
 * without arguments of all, the newest first. Builds what is missing, and writes the table of docs/compatibility.md.
 *
 *   --build   builds the control planes, and runs nothing
 *   --only    one file of the tests, such as test/cluster/crds.test.ts; writes no table; repeatable
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildJobs } from '../harness/tools/build.ts';
import { findGo } from '../harness/tools/go.ts';
import { createJobs } from '../harness/tools/jobs.ts';
import { askedKubernetes, PATCHES } from '../harness/tools/kubernetes.ts';
import { statusOn } from '../harness/tools/status.ts';
import { missingTools } from '../harness/tools/tools.ts';
import { messageOf } from '../src/cli/errors.ts';
import { closingLine, type Counts, countReport, NONE, sum } from './test-counts.ts';
import { withRow } from './versions/table.ts';
import { TOPIC_FILES } from './versions/topics.ts';
import { createRunner } from './vitest.ts';

const PAGE = join(import.meta.dirname, '../docs/compatibility.md');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { build: { type: 'boolean', default: false }, only: { type: 'string', multiple: true, default: [] } },
});
const envOf = (minor: string) => ({ SLUICE_TEST_KUBERNETES: minor });
const runner = createRunner();
try {
  const minors = positionals.length > 0 ? positionals : Object.keys(PATCHES).toReversed();
  for (const minor of minors) askedKubernetes(envOf(minor));
  const counts: Counts[] = [];
  for (const minor of minors) {
    await build(minor);
    if (!values.build) counts.push(await tryVersion(minor));
  }
  const total = counts.reduce(sum, NONE);
  if (!values.build) console.log(`\n${closingLine(total)}`);
  process.exitCode = total.failed > 0 ? 1 : 0;
} catch (error) {
  console.error(`versions: ${messageOf(error)}`);
  process.exitCode = 1;
}

async function build(minor: string): Promise<void> {
  const env = { ...process.env, ...envOf(minor) };
  const missing = missingTools('control plane', env);
  if (missing.length === 0) return;
  const go = findGo();
  if (!go) throw new Error('this machine has no Go that can build the control plane; scripts/setup.sh installs it');
  console.log(`\nKubernetes ${PATCHES[minor]}: building ${missing.map(({ name }) => name).join(', ')}`);
  await createJobs(statusOn(process.stderr), new AbortController().signal)(buildJobs(go, missing, env));
}

async function tryVersion(minor: string): Promise<Counts> {
  console.log(`\nKubernetes ${PATCHES[minor]}`);
  const all = values.only.length === 0;
  const { files, status } = await runner.vitest(['cluster'], all ? TOPIC_FILES : values.only, envOf(minor));
  if (all) writeFileSync(PAGE, withRow(readFileSync(PAGE, 'utf8'), minor, files));
  return countReport(files, status);
}
