/** In which order `npm test` does things, with programs that do nothing but say that they were called. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/test.ts');
const BEGINNING = ['node check types', 'node package-check', 'vitest unit', 'node check layers'];

test('parts without a build go on while set-up builds; its output is held back until it is waited for', async () => {
  const { lines, code } = await run('echo "setup: installing"; echo built; while [ ! -e calls5 ]; do sleep 0.05; done; sleep 0.3');
  expect(callsOf(lines)).toEqual([...BEGINNING, 'vitest simulation adversary', 'vitest programs cluster node']);
  const waiting = lines.indexOf('waiting for what set-up builds:');
  // Set-up and the first checks begin at once: any of them may print first.
  expect(lines.slice(0, waiting)).toContain('setup: installing');
  expect(lines.indexOf('built')).toBe(waiting + 1);
  expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '5 passed, 0 failed' });
});

test('when there is nothing to build, simulations share their time with clusters', async () => {
  const { lines } = await run(QUICK);
  expect(callsOf(lines)).toEqual([...BEGINNING, 'vitest programs simulation adversary cluster node']);
  expect(lines.at(-1)).toBe('4 passed, 0 failed');
});

test('when set-up fails, what it printed is shown, the tests that need it are named, and the run fails', async () => {
  const { lines, code } = await run('echo no Go; touch quick; exit 1');
  expect(callsOf(lines)).toEqual(BEGINNING);
  expect(lines).toContain('no Go');
  expect(lines).toContain('set-up failed, so that these tests do not run: programs, simulation, adversary, cluster, node');
  expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '3 passed, 1 failed' });
});

test.each([
  ['check types', '3 passed, 1 failed'],
  ['package-check', '3 passed, 1 failed'],
  ['vitest unit', '4 passed, 1 failed'],
])('%s that fails fails the run, and the others still run', async (failing, last) => {
  const { lines, code } = await run(QUICK, [], failing);
  expect(lines.filter(called)).toHaveLength(5);
  expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last });
});

test('some tests by name run once set-up has ended, all at once', async () => {
  const { lines } = await run('sleep 0.3; echo calls >>order', ['names']);
  expect(callsOf(lines)).toEqual(['vitest unit programs simulation adversary cluster node names']);
});

/** The last of the first checks waits for it. */
const QUICK = 'touch quick';
const called = (line: string) => /^(node|vitest) /.test(line);
/** Calls in their order; the first two begin at once, and are sorted. */
const callsOf = (lines: readonly string[]) => {
  const calls = lines.filter(called);
  return [...calls.slice(0, 2).toSorted(), ...calls.slice(2)];
};

/** Says what it was called with; a vitest writes a report of one test that passed. */
const PROGRAM = `#!/bin/bash
name=$(basename "$0")
args=$(sed -E 's#--project ##g; s#^run ##; s#--(max|rep)[^ ]*##g; s#scripts/##; s#[.]ts##; s#(layers) .*#\\1#; s#  +# #g; s# $##' <<<"$*")
echo "$name $args"
if [ "$args" = package-check ] && [ -z "$SLOW" ]; then while [ ! -e quick ]; do sleep 0.05; done; sleep 0.5; fi
echo >>calls; for n in $(seq "$(wc -l <calls)"); do touch "calls$n"; done
[ -z "$SLUICE_TEST_REPORT" ] || echo '[{"file":"a","project":"p","ms":1,"passed":1,"failed":0,"skipped":0,"broken":false,"again":[]}]' >"$SLUICE_TEST_REPORT"
[ "$name $args" != "$FAILING" ] && [ "$args" != "$FAILING" ]
`;

async function run(setup: string, args: readonly string[] = [], failing = '') {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-order-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of ['scripts', 'bin']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'scripts/setup.sh'), setup);
  for (const name of ['node', 'vitest']) writeFileSync(join(dir, 'bin', name), PROGRAM, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: `${join(dir, 'bin')}:/usr/bin:/bin`,
    FAILING: failing,
    SLOW: setup.includes('quick') ? '' : 'yes',
    SLUICE_TEST_REPORT: '',
    // The newest Kubernetes may be built on this machine.
    SLUICE_CACHE: join(dir, 'cache'),
  };
  const out = join(dir, 'out');
  const child = spawn('bash', ['-c', `"$0" "$@" >'${out}' 2>&1`, process.execPath, script, ...args], { cwd: dir, env, stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number];
  const lines = readFileSync(out, 'utf8').trim().split('\n');
  return { code, lines };
}
