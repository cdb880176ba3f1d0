/** Lists that are read page by page, by many who do not read them to their end. */
import { expect, test } from 'vitest';
import { createPages } from '../../src/api-server/pages.ts';
import { createStorage } from '../../src/api-server/storage.ts';
import { configMap } from './suite/objects.ts';
import { kinds } from '../support/kinds.ts';

test('the memory for later pages is bounded in objects, and the newest list can be read to its end', () => {
  const storage = createStorage();
  for (let i = 0; i < 10; i++) storage.put(kinds.ConfigMap, configMap('ml', `m${i}`));
  const list = createPages(storage, true, 35);
  const first = list(kinds.ConfigMap, { limit: 4 });
  const others = Array.from({ length: 2 }, () => list(kinds.ConfigMap, { limit: 4 }));
  const names = (page: typeof first) => page.items.map(({ metadata }) => metadata.name);
  const second = list(kinds.ConfigMap, { limit: 4, continue: first.continue! });
  storage.put(kinds.ConfigMap, configMap('ml', 'later'));
  const third = list(kinds.ConfigMap, { limit: 4, continue: second.continue! });
  expect([first, second, third].flatMap(names)).toEqual(Array.from({ length: 10 }, (_, i) => `m${i}`));
  expect(third).toMatchObject({ resourceVersion: first.resourceVersion });
  expect(third.continue).toBeUndefined();
  // One more than it remembers.
  const newest = list(kinds.ConfigMap, { limit: 4 });
  expect(() => list(kinds.ConfigMap, { continue: first.continue! })).toThrow(expect.objectContaining({ status: 410 }));
  for (const each of [...others, newest]) expect(list(kinds.ConfigMap, { continue: each.continue! }).items.length).toBeGreaterThan(5);
  expect(() => list(kinds.ConfigMap, { continue: 'page-x' })).toThrow(expect.objectContaining({ status: 410 }));
});
