import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStorage } from '../../src/api-server/storage.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { kinds } from '../support/kinds.ts';

test('objects are listed by their keys, whatever was changed since the last list, and a list stays as it was', () => {
  const change = fc.record({ name: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), is: fc.constantFrom('put', 'removed', 'listed') });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const storage = createStorage();
      const there = new Map<string, string>();
      const lists: (readonly KubeObject[])[][] = [];
      const versions = () => storage.all(kinds.ConfigMap).map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]);
      for (const { name, is } of changes) {
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } } as KubeObject;
        if (is === 'put') there.set(name, storage.put(kinds.ConfigMap, object).metadata.resourceVersion ?? '');
        if (is === 'removed' && there.delete(name)) storage.remove(kinds.ConfigMap, object);
        if (is !== 'listed') continue;
        const list = storage.all(kinds.ConfigMap);
        lists.push([list, [...list]]);
        expect(versions()).toEqual([...there].toSorted(([a], [b]) => (a < b ? -1 : 1)));
      }
      expect(versions()).toEqual([...there].toSorted(([a], [b]) => (a < b ? -1 : 1)));
      for (const [list, copy] of lists) expect(list).toEqual(copy);
    }),
  );
});
