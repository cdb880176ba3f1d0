import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { untilReleased } from '../../harness/node/hold.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-hold-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('a held node says how to reach it, and waits until its file is deleted', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const dir = folder();
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  let isReleased = false;
  const released = untilReleased(dir, '/tmp/kubeconfig', true).then(() => (isReleased = true));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(isReleased).toBe(false);
  expect(printed.mock.calls.join()).toContain(`rm ${join(dir, 'hold')}`);
  expect(printed.mock.calls.join()).toContain('KUBECONFIG=/tmp/kubeconfig');
  rmSync(join(dir, 'hold'));
  await vi.advanceTimersByTimeAsync(1000);
  await released;
});

test('a node that is not held stops at once', async () => {
  const dir = folder();
  await untilReleased(dir, '/tmp/kubeconfig', false);
  expect(existsSync(join(dir, 'hold'))).toBe(false);
});
