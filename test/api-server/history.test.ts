import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHistory } from '../../src/api-server/history.ts';
import type { KubeObject } from '../../src/kube/types.ts';

const objectOf = (size: number): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: 'x'.repeat(size) });

test('a history remembers at least half of its bounds, never more than them, and says what it has forgotten', () => {
  const most = { changes: 20, characters: 5_000 };
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { maxLength: 200 }), (sizes) => {
      const history = createHistory(100, most);
      const objects = sizes.map(objectOf);
      objects.forEach((object, i) => history.add({ revision: 101 + i, object, old: undefined }));
      const kept: KubeObject[] = [];
      for (let change = history.after(history.forgotten); change; change = history.after(change.revision)) kept.push(change.object!);
      expect(kept).toEqual(objects.slice(objects.length - kept.length));
      const characters = kept.reduce((sum, object) => sum + JSON.stringify(object).length, 0);
      expect(kept.length).toBeLessThanOrEqual(most.changes);
      expect(characters).toBeLessThanOrEqual(most.characters);
      expect(history.forgotten).toBe(100 + objects.length - kept.length);
      if (kept.length === objects.length) return;
      expect(kept.length >= most.changes / 2 || characters >= most.characters / 2 - 1_100).toBe(true);
      expect(() => history.after(history.forgotten - 1)).toThrow(/too old resource version/);
    }),
  );
});

test('the newest change is remembered, however large it is', () => {
  const history = createHistory(100, { changes: 20, characters: 10 });
  history.add({ revision: 101, object: objectOf(1), old: undefined });
  history.add({ revision: 102, object: objectOf(1_000), old: undefined });
  expect(history.after(101)?.revision).toBe(102);
});
