/** Options of a DataLoad by Jindo. */
import { expect, test } from 'vitest';
import jindo from '../../../runtimes/jindo/index.ts';
import { JindoLoad } from '../../../runtimes/jindo/load.ts';
import type { Mount } from '../../../src/api/index.ts';
import { bucket, given } from './given.ts';

type Job = {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } } };
};
const pathsOf = (mounts: readonly Mount[], target?: readonly { readonly path: string }[]) => {
  const spec = { ...(target && { target }) };
  const made = jindo
    .bind(given({ mounts }))
    .operations.DataLoad?.({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec, facts: { pods: {} } });
  const job = made?.find(({ kind }) => kind === 'Job') as unknown as Job;
  const { args = [] } = job.spec.template.spec.containers[0] ?? {};
  return args.slice(args.indexOf('--') + 1);
};

test('without a target, each of several mounts is loaded, and else the whole Dataset', () => {
  const other: Mount = { mountPoint: 'oss://b2/', name: 'two', path: '/b', options: { 'fs.oss.endpoint': 'other.example' } };
  expect(pathsOf([bucket])).toEqual(['/', '1']);
  expect(pathsOf([bucket, other])).toEqual(['/data', '1', '/b', '1']);
  expect(pathsOf([bucket, other], [{ path: '/b/c' }])).toEqual(['/b/c', '1']);
});

const loaded = (options: Readonly<Record<string, string>>) =>
  jindo
    .bind(given())
    .operations.DataLoad?.({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec: { options }, facts: { pods: {} } });

test('a number of threads is read with a filter, and only then refused', () => {
  expect(() => loaded({ threadNum: 'many' })).not.toThrow();
  expect(() => loaded({ threadNum: 'many', filter: '*.csv' })).toThrow('spec.options[threadNum]: expected a number of threads');
});

test('options without an effect are named, each with the reason', () => {
  const warned = (options: Readonly<Record<string, string>>) =>
    JindoLoad.warnings({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec: { options }, facts: { pods: {} } }).map(
      ({ message }) => message,
    );
  expect(warned({ atomicCache: 'true', filter: '*.csv', threadNum: '2', url: 'u' })).toEqual([]);
  expect(warned({ threadNum: '2' })).toEqual(['spec.options[threadNum]: has no effect without the option filter']);
  for (const name of ['endpoint', 'accessKeyId', 'accessKeySecret', 'cacheListReplica', 'cacheListLocationEnable'])
    expect(warned({ [name]: 'x' })).toEqual([`spec.options[${name}]: has no effect; it is of a list of files`]);
  expect(warned({ other: 'x' })).toEqual(["spec.options[other]: has no effect; Jindo's load has no such option"]);
});
