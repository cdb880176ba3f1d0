/** A command that Linux would not start is refused where it is planned, by the field that a user can shorten. */
import { describe, expect, test } from 'vitest';
import alluxio from '../../runtimes/alluxio/index.ts';
import cache from '../../runtimes/cache/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import thin from '../../runtimes/thin/index.ts';
import { PARTS, type RuntimeInput, type Runtime } from '../../src/constructs/index.ts';
import { heaviest, isRunnable, LONGEST_ARGUMENT, startable } from '../../src/constructs/startable.ts';
import { lifecycle } from '../../src/reconciler/lifecycle.ts';
import { given as alluxioGiven } from '../runtimes/alluxio/given.ts';
import { given as cacheGiven, plainClass } from '../runtimes/cache/given.ts';
import { given as jindoGiven } from '../runtimes/jindo/given.ts';
import { given as thinGiven } from '../runtimes/thin/given.ts';

const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const container = (fields: object) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'demo-fuse' },
  spec: { template: { spec: { containers: [{ name: 'fuse', ...fields }] } } },
});
const blame = () => ({ path: 'spec.fuse.options' });
const longest = 'x'.repeat(LONGEST_ARGUMENT);

describe('a text of a container', () => {
  const [argv, longer] = [
    ['sh', '-c', longest],
    ['sh', '-c', `${longest}x`],
  ];
  test.each<[string, (command: readonly string[]) => object]>([
    ['command[2]', (command) => ({ command })],
    ['args[2]', (args) => ({ args })],
    ['lifecycle.preStop.exec.command[2]', (command) => ({ lifecycle: { preStop: { exec: { command } } } })],
    ['startupProbe.exec.command[2]', (command) => ({ startupProbe: { exec: { command } } })],
    ['env[A]', ([, , text = '']) => ({ env: [{ name: 'A', value: text.slice(2) }] })],
  ])('%s has at most as many bytes as Linux takes', (where, fields) => {
    expect(startable(container(fields(argv)), blame)).toBeDefined();
    expect(() => startable(container(fields(longer)), blame)).toThrow(
      `spec.fuse.options: expected arguments and variables of at most 131071 bytes, with which Linux can start a program, found a longer one: container fuse.${where} of DaemonSet demo-fuse`,
    );
  });
  test('is measured in bytes, as the kubelet writes it', () => {
    expect(() => startable(container({ args: ['é'.repeat(65_536)] }), blame)).toThrow('args[0]');
    expect(startable(container({ args: ['$$'.repeat(131_071)] }), blame)).toBeDefined();
  });
  test.each(['Job', 'Pod', 'CronJob'])('of a %s too', (kind) => {
    const pod = { initContainers: [{ name: 'a', args: [`${longest}x`] }] };
    const template = { template: { spec: pod } };
    const spec = { Job: template, Pod: pod, CronJob: { jobTemplate: { spec: template } } }[kind];
    expect(() => startable({ ...container({}), kind, spec }, blame)).toThrow('container a.args[0]');
  });
});

test('a command in a pod has a URL that API servers read', () => {
  expect(isRunnable(['a', longest])).toBe(true);
  expect(isRunnable(['a', `${longest}x`])).toBe(false);
  expect(isRunnable(list(7, () => longest))).toBe(true);
  expect(isRunnable(list(7, () => '/'.repeat(60_000)))).toBe(false);
  expect(isRunnable(['\ud800'.repeat(20_000)])).toBe(true);
  // Each of these is three characters there, and a blank is one.
  expect(isRunnable(list(7, () => "'()!~".repeat(12_000)))).toBe(false);
  expect(isRunnable(list(7, () => ' '.repeat(130_000)))).toBe(true);
});
test('the field at fault is the innermost that has most of the text', () => {
  expect(heaviest({ a: 'xx', fuse: { args: ['a', 'x'.repeat(90), 'b'] } })).toBe('spec.fuse.args[1]');
  expect(heaviest({ mounts: list(4, (i) => ({ name: `${i}`.repeat(10) })) })).toBe('spec.mounts');
});

const every = (runtime: Runtime, input: RuntimeInput<unknown>) => {
  const bound = runtime.bind(input);
  return PARTS.flatMap((part) => bound.synth(part));
};
test('options of a client that are one variable together are refused by their field', () => {
  const made = (count: number) =>
    every(thin, thinGiven({ spec: { fuse: { options: Object.fromEntries(list(count, (i) => [`o${i}`, 'v'.repeat(300)])) } } }));
  made(400);
  expect(() => made(450)).toThrow('spec.fuse.options: expected arguments and variables of at most 131071 bytes');
});
test.each<[string, Runtime, (dataset: object) => RuntimeInput<never>]>([
  ['Alluxio', alluxio, (dataset) => alluxioGiven(dataset) as RuntimeInput<never>],
  ['Jindo', jindo, (dataset) => jindoGiven(dataset) as RuntimeInput<never>],
])('a mount of %s whose command no pod can run is refused; many long ones are mounted in several commands', (_, runtime, given) => {
  const path = (i: number, length: number) => `/m${i}-${'p'.repeat(length)}`;
  const mount = (i: number, length: number) => ({ mountPoint: `s3://b${i}/d`, name: `m${i}`, path: path(i, length) });
  expect(() => runtime.bind(given({ mounts: [mount(0, 50_000), mount(1, 70_000)] }))).toThrow(
    /^Dataset ml\/demo: spec\.mounts: expected mounts whose commands can be run: arguments of at most 131071 bytes, found a longer one for "\/m1-p/,
  );
  const { mounts } = runtime.bind(given({ mounts: list(90, (i) => mount(i, 3_000)) }));
  const [align] = lifecycle.filter((step) => step.name === 'alignMounts');
  const world = { plan: { mounts }, mounts: { is: 'listed', rows: [], troubles: [] }, bound: false };
  // The cast: what this step reads.
  const { actions } = align!(world as never)!;
  const [{ commands, change }] = actions as unknown as [{ commands: { argv: string[] }[]; change: { mount: unknown[] } }];
  expect(commands.every(({ argv }) => isRunnable(argv))).toBe(true);
  expect(change.mount.length).toBeGreaterThan(10);
  expect(change.mount.length).toBeLessThan(90);
});

test('the paths of a DataLoad of a CacheRuntime have at most what its one variable holds', () => {
  const { DataLoad } = cache.bind(
    cacheGiven({ type: { ...plainClass, dataOperationSpecs: [{ name: 'DataLoad', command: ['l'] }] } }),
  ).operations;
  const loading = (length: number) => {
    const target = list(2000, (i) => ({ path: `/${String(i).padStart(length, 'x')}` }));
    return DataLoad?.({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec: { target }, facts: { pods: {} } });
  };
  expect(loading(60)).toHaveLength(1);
  expect(() => loading(113)).toThrow('spec.target: expected paths of at most 131046 bytes together, found "229999 bytes"');
});
