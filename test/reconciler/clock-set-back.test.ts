/** The wall clock may be set back at any time, by NTP or with a machine that was suspended. No wait of the controller depends on it. */
import { expect, test, vi } from 'vitest';
import { jfsDataset, jfsRuntime, jfsSecret } from '../support/objects.ts';
import { harness } from './harness.ts';

const setBack = (ms: number) => void vi.setSystemTime(Date.now() - ms);
const HOUR = 3_600_000;

test('a Secret that exists is found as soon as ever, after the clock was set back by an hour', async () => {
  const at = await harness();
  at.put(jfsDataset('demo'));
  at.put(jfsRuntime('demo'));
  at.start();
  await at.advance(20_000);
  expect(at.conditions('JuiceFSRuntime')['Synced']).toContain('SecretNotFound');
  setBack(HOUR);
  at.put(jfsSecret());
  await at.advance(60_000);
  expect(at.dataset().phase).toBe('Bound');
});

test('the cache is probed as often as before, after the clock was set back by an hour', async () => {
  const asked: number[] = [];
  const at = await harness({
    probeMs: 60_000,
    exec: async (_, argv) => {
      // A count that fails is tried less and less often.
      if (!argv.join(' ').includes('wc -l')) asked.push(performance.now());
      return '';
    },
  });
  at.put(jfsSecret());
  at.put(jfsDataset('demo'));
  at.put(jfsRuntime('demo'));
  const reader = at.get('Node', 'node-1')!;
  at.put({ ...reader, metadata: { ...reader.metadata, labels: { ...reader.metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  at.start();
  await at.advance(300_000);
  const commandsIn = async (ms: number) => {
    const before = asked.length;
    await at.advance(ms);
    return asked.length - before;
  };
  const usual = await commandsIn(600_000);
  expect(usual).toBeGreaterThan(0);
  setBack(HOUR);
  expect(await commandsIn(600_000)).toBe(usual);
});
