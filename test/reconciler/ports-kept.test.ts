import { expect, test } from 'vitest';
import { annotation } from '../../src/api/index.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../support/objects.ts';
import { boundHarness } from './harness.ts';

test('a runtime that leaves the network of its node and comes back has the host port that it had', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
  const portsOf = (name: string): Record<string, number> =>
    JSON.parse(at.get('JuiceFSRuntime', name)?.metadata.annotations?.[annotation.ports] ?? '{}').ports;
  const before = portsOf('demo');
  expect(Object.keys(before)).toContain('worker');
  at.edit('JuiceFSRuntime', { worker: { networkMode: 'ContainerNetwork' } });
  await at.quiet();
  at.put(jfsDataset('other'));
  at.put(jfsRuntime('other'));
  await at.quiet();
  at.edit('JuiceFSRuntime', { worker: { networkMode: 'HostNetwork' } });
  await at.quiet();
  expect(portsOf('demo')).toEqual(before);
  expect(Object.values(portsOf('other')).filter((port) => Object.values(before).includes(port))).toEqual([]);
});
