import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { execAnswers } from '../../harness/control-plane/exec-answers.ts';
import type { ExecCall } from '../../src/playground/engines/exec-call.ts';
import { answerTo, recordCall } from '../../harness/control-plane/exec-replay.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'exec-answers-'));
  mkdirSync(join(dir, 'exec', 'answers'), { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true }));

function call(argv: readonly string[], more: Partial<ExecCall> = {}): ExecCall {
  return { time: '2026-01-01T00:00:00Z', namespace: 'default', pod: 'demo-worker-0', container: 'juicefs', argv, ...more };
}

function printed(asked: ExecCall): string {
  return readFileSync(answerTo(dir, asked).stdoutFile, 'utf8');
}

describe('which answer is given', () => {
  test('the newest that fits', async () => {
    const answers = execAnswers(dir);
    await answers.answer({ argv: ['juicefs'], stdout: 'any' });
    await answers.answer({ argv: ['juicefs', 'status'], stdout: 'status' });
    await answers.answer({ argv: /^other/, stdout: 'other' });
    expect(printed(call(['juicefs', 'status', 'redis://r']))).toBe('status');
    expect(printed(call(['juicefs', 'gc']))).toBe('any');
  });

  test('an earlier one, once it was given as often as asked', async () => {
    const answers = execAnswers(dir);
    await answers.answer({ argv: ['try'], stdout: 'done' });
    await answers.answer({ argv: ['try'], stderr: 'not yet', exitCode: 1, times: 2 });
    const codes = [1, 2, 3].map(() => answerTo(dir, call(['try'])).exitCode);
    expect(codes).toEqual([1, 1, 0]);
  });

  test('that of the pod, the container and the namespace', async () => {
    const answers = execAnswers(dir);
    await answers.answer({ argv: ['x'], stdout: 'elsewhere', namespace: 'other' });
    await answers.answer({ argv: ['x'], stdout: 'worker', pod: /-worker-\d+$/ });
    await answers.answer({ argv: ['x'], stdout: 'sidecar', container: 'sidecar' });
    expect(printed(call(['x']))).toBe('worker');
    expect(printed(call(['x'], { namespace: 'other', pod: 'p' }))).toBe('elsewhere');
    expect(printed(call(['x'], { container: 'sidecar' }))).toBe('sidecar');
  });

  test('"command not found" for an unknown command, and again after reset', async () => {
    const answers = execAnswers(dir);
    await answers.answer({ argv: ['goosefs'], stdout: 'here' });
    expect(answerTo(dir, call(['goosefs'])).exitCode).toBe(0);
    await answers.reset();
    expect(answerTo(dir, call(['goosefs'])).exitCode).toBe(127);
  });
});

test('calls are those since the last reset', async () => {
  const answers = execAnswers(dir);
  recordCall(dir, call(['before']));
  await answers.reset();
  recordCall(dir, call(['after', 'a b']));
  recordCall(dir, call(['elsewhere'], { namespace: 'other' }));
  expect((await answers.calls({ namespace: 'default' })).map(({ argv }) => argv)).toEqual([['after', 'a b']]);
});

describe('the built-in answers are those of a JuiceFS that works', () => {
  test.for([
    [
      ['cat', '/runtime-mnt/juicefs/default/demo/juicefs-fuse/.stats'],
      /^juicefs_blockcache_hit_bytes \d+$[^]*^blockcache\.hitBytes: \d+$/m,
    ],
    [['df', '-B', '1'], /^JuiceFS:\S+ +\d+ \d+ +\d+ +\d+% \/runtime-mnt\/juicefs\/default\/demo\/juicefs-fuse$/m],
    [['timeout', '30', 'df', '-B', '1', '/data'], / \/data$/m],
    [['bash', '-c', 'ls -lR /data |grep ^- |wc -l '], /^\d+\n$/],
    [['ls', '-lR', '/data'], /^-rw/m],
    [['du', '-sb', '/data'], /^\d+\t\/data\n$/],
    [['sh', '-c', 'juicefs status redis://r:6379/1'], /"UUID": "[0-9a-f-]{36}"/],
    [['sh', '-c', 'code=0\nfor folder; do\n  rm -rf "$folder/raw/chunks"', 'sh', '/cache/0b1c'], /^$/],
  ] as const)('%s', ([argv, expected]) => {
    expect(answerTo(dir, call(argv)).exitCode).toBe(0);
    expect(printed(call(argv))).toMatch(expected);
  });
});

test('a simulated Alluxio keeps its mounts, each pod its own', () => {
  const inPod = (pod: string, ...argv: readonly string[]) => printed(call(argv, { pod, container: 'alluxio-master' }));
  expect(inPod('a-master-0', 'alluxio', 'fs', 'mount')).not.toMatch(/s3:/);
  inPod('a-master-0', 'bash', '-c', 'mount() {\n  alluxio fs mount "$@"\n}\nmount --readonly --option key=value /data s3://bucket');
  expect(inPod('a-master-0', 'alluxio', 'fs', 'mount')).toMatch(
    /^s3:\/\/bucket {2}on {2}\/data {2}\(s3, .*, read-only, .*properties=\{key=value\}/m,
  );
  expect(inPod('b-master-0', 'alluxio', 'fs', 'mount')).not.toMatch(/s3:/);
});

test('the stand-in for Jindo has its mounts, its masters as one, by the commands of either engine', () => {
  const inPod = (pod: string, ...argv: readonly string[]) => answerTo(dir, call(argv, { pod, container: 'jindofs-master' }));
  const said = (pod: string, ...argv: readonly string[]) => readFileSync(inPod(pod, ...argv).stdoutFile, 'utf8');
  const list = ['bash', '-c', 'jindocache -mount && jindocache -listCacheSet'];
  expect(said('a-jindofs-master-0', ...list)).toBe('');
  const script =
    'mount jindocache -mount /data oss://bucket/data || failed=$?\njindocache -refreshCacheSet -path /cacheset.xml || failed=$?';
  expect(inPod('a-jindofs-master-0', 'bash', '-c', script).exitCode).toBe(0);
  expect(said('a-jindofs-master-2', ...list)).toMatch(/^oss:\/\/bucket\/data on \/data .*\n.*cacheStrategy/);
  // The script tolerates a mount that is there; Jindo does not.
  expect(inPod('a-jindofs-master-0', 'bash', '-c', script).exitCode).toBe(0);
  expect(inPod('a-jindofs-master-0', 'jindo', 'admin', '-mount', '/data', 'oss://bucket/data').exitCode).toBe(255);
  expect(said('a-jindofs-master-0', 'jindo', 'fs', '-report')).toMatch(/^Total Disk Capacity: [\d.]+GB$/m);
  expect(said('a-jindofs-master-0', 'hadoop', 'fs', '-count', 'jindo:///data')).toMatch(/^ +4 +1152 +154262709011 jindo:/);
  inPod('a-jindofs-master-0', 'jindo', 'admin', '-unmount', '/data');
  expect(said('a-jindofs-master-0', 'jindo', 'admin', '-mount')).toBe('');
  expect(inPod('a-jindofs-master-0', 'juicefs', 'status').exitCode).toBe(127);
});
