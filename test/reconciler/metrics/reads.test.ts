import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/reconciler/metrics.ts';
import { createReadCounters } from '../../../src/reconciler/metrics/reads.ts';
import { seriesOf } from '../../support/exposition.ts';
import { dataset, fleetOf, shown } from './given.ts';

const client = (name: string, cacheBytes: number, storeBytes = 0) => ({ client: name, cacheBytes, storeBytes });

test('the first answer is where counting begins, and each answer counts once', () => {
  const reads = createReadCounters();
  expect(reads.of('ml/a')).toBeUndefined();
  reads.seen('ml/a', 'u', [client('x', 1000, 50)]);
  expect(reads.of('ml/a')).toMatchObject({ cache: 0, store: 0 });
  const answer = [client('x', 1100, 60)];
  for (let pass = 0; pass < 3; pass++) reads.seen('ml/a', 'u', answer);
  expect(reads.of('ml/a')).toMatchObject({ cache: 100, store: 10 });
});

test('a client that ends takes nothing away, and a new one counts from its start', () => {
  const reads = createReadCounters();
  reads.seen('ml/a', 'u', [client('x', 1000), client('y', 500)]);
  reads.seen('ml/a', 'u', [client('y', 600)]);
  expect(reads.of('ml/a')).toMatchObject({ cache: 100 });
  reads.seen('ml/a', 'u', [client('y', 600), client('z', 7)]);
  expect(reads.of('ml/a')).toMatchObject({ cache: 107 });
});

test('a client that did not answer once has not begun anew', () => {
  const reads = createReadCounters();
  reads.seen('ml/a', 'u', [client('x', 1000), client('y', 500)]);
  reads.seen('ml/a', 'u', [client('y', 500)]);
  reads.seen('ml/a', 'u', [client('x', 1010), client('y', 500)]);
  expect(reads.of('ml/a')).toMatchObject({ cache: 10 });
});

test('a counter that an engine has reset adds nothing until it grows', () => {
  const reads = createReadCounters();
  reads.seen('ml/a', 'u', [client('cluster', 1000)]);
  reads.seen('ml/a', 'u', [client('cluster', 20)]);
  expect(reads.of('ml/a')).toMatchObject({ cache: 0 });
  reads.seen('ml/a', 'u', [client('cluster', 25)]);
  expect(reads.of('ml/a')).toMatchObject({ cache: 5 });
});

test('whatever engines answer, the counters never fall, and count no more than was read', () => {
  const answers = fc.array(fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.nat(1000)), { maxLength: 3 }), { maxLength: 20 });
  fc.assert(
    fc.property(answers, (all) => {
      const reads = createReadCounters();
      let [before, most] = [0, 0];
      for (const answer of all) {
        reads.seen(
          'ml/a',
          'u',
          answer.map(([name, bytes]) => client(name, bytes)),
        );
        const { cache } = reads.of('ml/a')!;
        expect(cache).toBeGreaterThanOrEqual(before);
        most += answer.reduce((sum, [, bytes]) => sum + bytes, 0);
        expect(cache).toBeLessThanOrEqual(most);
        before = cache;
      }
    }),
  );
});

test('a runtime of the same name is another one, and begins anew', () => {
  const reads = createReadCounters();
  reads.seen('ml/a', 'u', [client('x', 0)]);
  reads.seen('ml/a', 'u', [client('x', 100)]);
  reads.seen('ml/a', 'v', [client('x', 5000)]);
  expect(reads.of('ml/a')).toMatchObject({ cache: 0 });
});

test('the leader alone serves them, until the runtime is gone', async () => {
  const metrics = createMetrics({ host: 'host', fleet: () => fleetOf({ datasets: [dataset('a'), dataset('b')] }), datasetLimit: 10 });
  const read = async () => {
    let text = '';
    for await (const chunk of metrics.fleet()) text += chunk;
    return shown(seriesOf(text), 'sluice_dataset_read_bytes_total');
  };
  const answer = (bytes: number) => {
    metrics.read('ml/a', 'u', [client('x', bytes, 2 * bytes)]);
    metrics.read('ml/b', 'v', [client('x', bytes)]);
  };
  answer(0);
  answer(5);
  const [cache, store, ...others] = await read();
  expect([cache, store]).toEqual(['{namespace=ml,dataset=a,kind=,source=cache} 5', '{namespace=ml,dataset=a,kind=,source=store} 10']);
  expect(others).toHaveLength(2);
  metrics.forgotten('juicefs', 'ml/b');
  expect(await read()).toHaveLength(2);
  metrics.led(false);
  expect(await read()).toEqual([]);
});
