/** Results of `npm run flows`, and the kubectl that the flows call. The flows themselves need a checkout of Fluid. */
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { outcome } from '../../harness/flows/flow.ts';

const root = join(import.meta.dirname, '../..');
const DONE = '> Testcase "t" started <\nPASS create dataset\nPASS check if dataset is bound\n> Testcase "t" succeeded <\n';

test('a flow has passed once each of its steps has and it says so', () => {
  expect(outcome(DONE, 0, 2)).toEqual({ ok: true, passed: 2 });
  expect(outcome(DONE, 1, 2)).toMatchObject({ ok: false });
  expect(outcome(DONE, 0, 3)).toMatchObject({ ok: false, passed: 2 });
});

test('a flow that ends with 0 before its first step has not passed, and its last line says why', () => {
  const said = 'FAIL at checkCsiRecoverEnabled(): FUSE Recover feature gate is not enabled\n';
  expect(outcome(said, 0, 10)).toEqual({ ok: false, passed: 0, problem: said.trim() });
});

test('a flow that failed names the step, though it deletes what it made afterwards', () => {
  const said = 'PASS create dataset\nFAIL check if dataset is bound\nDataset "default/hbase" deleted\ntimeout for 300 seconds\n';
  expect(outcome(said, 1, 2)).toEqual({ ok: false, passed: 1, problem: 'FAIL check if dataset is bound' });
});

test('the kubectl of the flows puts `--` before the command of exec, and changes nothing else', async () => {
  const called = async (...words: readonly string[]) => {
    // The first word that printf gets is its format, so that it prints each of the others.
    const env = { ...process.env, KUBECTL: 'printf' };
    const { stdout } = await promisify(execFile)(join(root, 'harness/flows/kubectl'), ['%s\n', ...words], { env });
    return stdout.trim().split('\n');
  };
  expect(await called('-n', 'default', 'exec', '-it', 'pod', 'ls', '/a b')).toEqual([
    '-n',
    'default',
    'exec',
    '-it',
    'pod',
    '--',
    'ls',
    '/a b',
  ]);
  expect(await called('exec', 'pod', '--', 'exec', 'ls')).toEqual(['exec', 'pod', '--', 'exec', 'ls']);
  expect(await called('get', 'pods', '-o', 'name')).toEqual(['get', 'pods', '-o', 'name']);
});

test('what is not a checkout of Fluid is refused with the path that is missing', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/flows.ts'), '/nowhere'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, 'flows: /nowhere/test/prow is not there\n']);
});
