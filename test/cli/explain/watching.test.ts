import { expect, test } from 'vitest';
import { newsOf, report } from '../../../src/cli/explain/report.ts';
import { lookAgain } from '../../../src/cli/explain/watching.ts';
import { createApiServer } from '../../../src/api-server/index.ts';
import type { Explanation } from '../../../src/explain/finding.ts';
import { plain } from '../../../src/cli/terminal.ts';
import thin from '../../../runtimes/thin/index.ts';
import { kinds } from '../../support/kinds.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { openDataset } from '../../support/objects.ts';

test('something is looked at again two seconds after it has changed, half a minute later anyway, and not in between', async () => {
  const server = createApiServer({ kinds: [kinds.Dataset], namespaces: ['ml'] });
  const clock = manualClock();
  const stop = new AbortController();
  const looks: (readonly [seconds: number, isNew: boolean])[] = [];
  const began = clock.monotonic();
  const ended = lookAgain(
    { client: server.client({ fieldManager: 'a-user' }), runtimes: [thin], namespace: 'ml', signal: stop.signal, clock },
    async (isNew) => {
      looks.push([(clock.monotonic() - began) / 1000, isNew]);
    },
  );
  /** Requests of the watches, and their answers. */
  const settle = async () => {
    for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
  };
  const advance = async (seconds: number) => {
    await settle();
    for (let i = 0; i < seconds; i++) {
      clock.advance(1000);
      await settle();
    }
  };
  await advance(7);
  expect(looks.filter(([at]) => at > 2)).toEqual([
    [4, false],
    [6, false],
  ]);
  const dataset = openDataset('demo');
  server.put({ ...dataset, metadata: { ...dataset.metadata, namespace: 'ml' } });
  await advance(4);
  expect(looks.slice(-2)).toEqual([
    [8, true],
    [10, false],
  ]);
  await advance(34);
  expect(looks.filter(([at, isNew]) => at > 10 && isNew)).toEqual([[38, true]]);
  stop.abort();
  await ended;
});

test('that time passes is no news, and that an event has another text is', () => {
  const at = (detail: string): readonly Explanation[] => [
    { object: 'Dataset ml/demo', phase: 'Bound', healthy: true, causes: [], details: [detail] },
  ];
  expect(newsOf(at('event R, 5s ago: x'))).toBe(newsOf(at('event R, 1h4m5s ago: x')));
  expect(newsOf(at('event R, 5s ago: x'))).not.toBe(newsOf(at('event R, 5s ago: y')));
});

test.each([
  ['default', 'Nothing is here: no Dataset, runtime or operation in namespace default. -A explains all namespaces.\n'],
  [undefined, 'Nothing is here: no Dataset, runtime or operation in any namespace.\n'],
])('where nothing is, the report names the namespace: %s', (namespace, text) => {
  expect(plain(report([], 0, namespace))).toBe(text);
});
