import { expect, test } from 'vitest';
import { whenAborted } from '../../src/cli/stop-signal.ts';

test('a signal to stop that came before anything waited for it is not lost', async () => {
  expect(await Promise.race([whenAborted(AbortSignal.abort()).then(() => 'stopped'), new Promise(setImmediate)])).toBe('stopped');
});
test('a signal to stop is waited for', async () => {
  const stop = new AbortController();
  let isStopped = false;
  const stopped = whenAborted(stop.signal).then(() => (isStopped = true));
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  stop.abort();
  await stopped;
});
