/** A store whose errors the clients count: the condition outlives the questions, and the process that asked them. */
import { expect, test } from 'vitest';
import { defaultAnswer } from '../../src/playground/engines/juicefs.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../support/objects.ts';
import { boundHarness } from './harness.ts';

const MINUTE = 60_000;

async function served(answerMs = 0) {
  const store = { errors: 0, answered: 0, start: 7, answerMs };
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')], {
    probeMs: MINUTE,
    async exec(where, argv) {
      if (argv[2]?.includes('.sluice-look-up')) return 'asked\n';
      if (store.answerMs > 0) await new Promise((resolve) => setTimeout(resolve, store.answerMs));
      if (argv[0] === 'grep')
        return [
          'juicefs_blockcache_bytes 1',
          `juicefs_object_request_errors ${store.errors}`,
          `juicefs_object_request_durations_histogram_seconds_GET_total ${store.errors + store.answered}`,
          `juicefs_process_start_time_seconds ${store.start}`,
          '',
        ].join('\n');
      return defaultAnswer({ ...where, argv, stdin: false, tty: false } as unknown as Parameters<typeof defaultAnswer>[0])?.stdout ?? '';
    },
  });
  const node = at.get('Node', 'node-1') as KubeObject;
  at.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  await at.advance(2 * MINUTE);
  return { at, store };
}
const reasons = (at: Awaited<ReturnType<typeof served>>['at']) =>
  [at.conditions('Dataset'), at.conditions('JuiceFSRuntime')].map((c) => c['DataUnavailable']?.slice(0, 17));
const FAILS = ['True RequestsFail', 'True RequestsFail'];

test('a store that fails is said once, and nothing is written while it is asked again', async () => {
  const { at, store } = await served(500);
  expect(reasons(at)).toEqual([undefined, undefined]);
  store.errors = 3;
  await at.advance(2 * MINUTE);
  expect(reasons(at)).toEqual(FAILS);
  at.forget();
  await at.advance(10 * MINUTE);
  expect(at.written()).toEqual([]);
  store.answered = 5;
  await at.advance(2 * MINUTE);
  expect(reasons(at)).toEqual([undefined, undefined]);
});

test('another process takes over what the last one said of a store', async () => {
  const { at, store } = await served();
  store.errors = 3;
  await at.advance(2 * MINUTE);
  expect(reasons(at)).toEqual(FAILS);
  at.kill();
  at.forget();
  await at.restart();
  await at.advance(100);
  await at.advance(10 * MINUTE);
  expect(reasons(at)).toEqual(FAILS);
  expect(at.events.filter(({ reason }) => reason === 'DataUnavailable')).toEqual([]);
  store.answered = 5;
  await at.advance(2 * MINUTE);
  expect(reasons(at)).toEqual([undefined, undefined]);
});
