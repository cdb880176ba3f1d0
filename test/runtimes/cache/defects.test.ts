/** Defects of Fluid's CacheRuntime, by their number in test/upstream/cache-defects.ts. */
import { expect, test } from 'vitest';
import cache from '../../../runtimes/cache/index.ts';
import { given, plainClass } from './given.ts';

const templateOf = (input: ReturnType<typeof given>, role: 'master' | 'worker' | 'fuse') => {
  const workload = cache
    .bind(input)
    .synth(role)
    .find(({ kind }) => kind === 'StatefulSet' || kind === 'DaemonSet');
  return workload?.['spec'] as {
    readonly updateStrategy: object;
    readonly serviceName?: string;
    readonly template: { readonly metadata: { readonly labels: object; readonly annotations: object }; readonly spec: object };
  };
};
const { topology } = plainClass;

test('16: labels, annotations and pull secrets of the runtime are those of all its pods', () => {
  const podMetadata = { labels: { team: 'a', role: 'all' }, annotations: { note: 'b' } };
  const spec = { podMetadata, imagePullSecrets: [{ name: 'pull' }], worker: { replicas: 1, podMetadata: { labels: { role: 'worker' } } } };
  for (const role of ['master', 'worker', 'fuse'] as const)
    expect(templateOf(given({ spec }), role).template).toMatchObject({
      metadata: { labels: { team: 'a', role: role === 'worker' ? 'worker' : 'all' }, annotations: { note: 'b' } },
      spec: { imagePullSecrets: [{ name: 'pull' }] },
    });
});

test('16: cache states are asked for again and again, where Fluid asks once', () => {
  const master = { ...topology?.master, executionEntries: { reportSummary: { command: ['report'], timeout: 30 } } };
  const { probes, status } = cache.bind(given({ type: { topology: { ...topology, master } } }));
  expect(probes.cache?.commands).toEqual([{ in: 'master', on: 'first', container: 'master', argv: ['report'], timeoutSeconds: 30 }]);
  const said = probes.cache?.parse([['{"cached":"1GiB","more":"x"}']]);
  expect(status({ readyWorkers: 1, cache: said })).toMatchObject({ cacheStates: { cached: '1GiB' } });
});

test('C2: labels and annotations of the class are those of its pods', () => {
  const metadata = { labels: { tier: 'cache' }, annotations: { scrape: 'yes' } };
  const worker = { template: { ...topology?.worker?.template, metadata } };
  expect(templateOf(given({ type: { topology: { ...topology, worker } } }), 'worker').template.metadata).toMatchObject(metadata);
});

test('C3: pods are replaced when their user deletes them, and by nobody else', () => {
  expect(templateOf(given(), 'worker').updateStrategy).toEqual({ type: 'OnDelete' });
  expect(templateOf(given(), 'worker').serviceName).toBe('demo-worker');
});
