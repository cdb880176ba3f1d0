import { join } from 'node:path';
import { expect, test } from 'vitest';
import alluxio from '../../runtimes/alluxio/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import { documents, GOLDENS, hasGoldens } from '../upstream/cases.ts';
import { harness } from './harness.ts';

/** Puts what Fluid made of a case, with its statuses, and the UIDs that the server has given. */
function putGolden(server: ApiServer, folder: string): void {
  const [input = [], statuses = [], objects = []] = ['input.yaml', 'status.yaml', 'objects.yaml'].map(
    (file) => documents(join(folder, file)) as readonly KubeObject[],
  );
  const uids = new Map<string, string>();
  const nameOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.name}`;
  const put = (object: KubeObject) => {
    const text = JSON.stringify(object).replaceAll(/<uid:([^>]*)>/g, (_, ref: string) => uids.get(ref) ?? '');
    uids.set(nameOf(object), server.put(JSON.parse(text) as KubeObject).metadata.uid ?? '');
  };
  const byOwner = statuses.toSorted((a, b) => Number(a.kind !== 'Dataset') - Number(b.kind !== 'Dataset'));
  const known = new Set(statuses.map(nameOf));
  for (const object of input) if (!known.has(nameOf(object))) put(object);
  for (const status of byOwner) put({ spec: {}, ...input.find((object) => nameOf(object) === nameOf(status)), ...status });
  for (const object of objects) if (object.kind !== 'NodeLabels') put(object);
}

test.skipIf(!hasGoldens).each(['thin/reference', 'alluxio/reference', 'juicefs/ce-reference', 'jindo/reference'])(
  'the reference of %s is taken over with its volume and handle, keeps its source, and leaves nothing',
  async (name) => {
    const namespace = `g-${name.replace('/', '-')}`;
    const at = await harness({ runtimes: [thin, juicefs, alluxio, jindo], prepare: (server) => putGolden(server, join(GOLDENS, name)) });
    const get = (kind: string, called: string) =>
      at.server.get(kind, kind === 'PersistentVolume' ? undefined : namespace, called) as
        | (KubeObject & { status: object; spec: object })
        | undefined;
    const before = get('PersistentVolume', `${namespace}-ref`)!;
    await at.quiet();
    expect(get('Dataset', 'ref')?.status).toMatchObject({ phase: 'Bound' });
    expect(get('Dataset', 'phy')?.status).toMatchObject({ phase: 'Bound', datasetRef: [`${namespace}/ref`] });
    const after = get('PersistentVolume', `${namespace}-ref`)!;
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.spec).toMatchObject({ csi: (before.spec as { csi: object }).csi });
    expect(get('PersistentVolumeClaim', 'ref')?.status).toMatchObject({ phase: 'Bound' });
    const { conditions } = get('ThinRuntime', 'ref')!.status as { conditions: { type: string; status: string }[] };
    expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual(['Synced True']);

    at.server.delete('Dataset', namespace, 'phy');
    await at.quiet();
    expect(get('Dataset', 'phy')).toBeDefined();
    at.server.delete('Dataset', namespace, 'ref');
    await at.quiet();
    const left = at.server.all().filter(({ kind, metadata }) => metadata.namespace === namespace || kind === 'PersistentVolume');
    expect(left.map(({ kind, metadata }) => `${kind}/${metadata.name}`).filter((each) => !/Secret|-values$|Event/.test(each))).toEqual([]);
  },
);
