/** Pods of clusters that have no addresses of IPv4. */
import { expect, test } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { PRINT_ORDER, type Runtime, type RuntimeInput } from '../../src/constructs/index.ts';
import { BY_KIND } from './cases.ts';

const textOf = (runtime: Runtime, input: RuntimeInput<object>, family?: string): string => {
  const env = { ...input.settings.env, ...(family !== undefined && { IP_FAMILY: family }) };
  return JSON.stringify(PRINT_ORDER.flatMap(runtime.bind({ ...input, settings: { ...input.settings, env } }).synth));
};

test('every runtime is among these', () => {
  expect(BY_KIND.map(([kind]) => kind).toSorted()).toEqual(runtimes.map(({ resource }) => resource.kind).toSorted());
});

test.each(BY_KIND)('with IP_FAMILY=IPv6 no server of a %s listens at an address of IPv4', (_, runtime, input) => {
  expect(textOf(runtime, input, 'IPv6')).not.toContain('0.0.0.0');
});

test.each([
  ['VineyardRuntime', ['--listen-peer-urls=http://[::]:', '--listen-client-urls=http://[::]:']],
  ['JuiceFSRuntime', ['metrics=[::]:']],
])('those of a %s listen at all addresses, which by default are those of IPv4', (kind, listening) => {
  const [, runtime, input] = BY_KIND.find(([each]) => each === kind)!;
  for (const text of listening) {
    expect(textOf(runtime, input, 'IPv6')).toContain(text);
    expect(textOf(runtime, input)).toContain(text.replace('[::]', '0.0.0.0'));
    expect(textOf(runtime, input, 'IPv4')).toBe(textOf(runtime, input));
  }
  expect(runtime.env).toContain('IP_FAMILY');
});
