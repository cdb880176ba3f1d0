import { expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { resources } from '../../../runtimes/_resources.gen.ts';
import { installed } from '../../../src/cli/takeover/installed.ts';

const withArgs = (...args: readonly string[]) => installed({ image: 'sluice:1', controller: { args } }, runtimes, resources);

test('the plan reads the arguments of the controller as the controller does', () => {
  for (const args of [
    ['--runtime-node-port-range=alluxio=21000-22000'],
    ['--log-level', 'debug', '--runtime-node-port-range', 'alluxio=21000-22000'],
  ]) {
    const { settings, faults } = withArgs(...args);
    expect(faults).toEqual([]);
    expect(JSON.stringify(settings)).toContain('21000');
  }
});

test.each([
  ['--port-allocate-policy=first', /--port-allocate-policy.*random.*bitmap.*first/],
  ['--port-allocate-policy', /^controller\.args: .*--port-allocate-policy/],
])('an argument with which the controller would not start is a fault of the values: %s', (arg, fault) => {
  expect(withArgs(arg).faults).toEqual([expect.stringMatching(fault)]);
});
