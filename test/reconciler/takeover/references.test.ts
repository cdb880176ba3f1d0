import { join } from 'node:path';
import { expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import jindo from '../../../runtimes/jindo/index.ts';
import juicefs from '../../../runtimes/juicefs/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { GOLDENS, hasGoldens } from '../../upstream/cases.ts';
import { harness } from '../harness.ts';
import { putGolden } from './put-golden.ts';

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
    expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual(['Synced True', 'Ready True']);

    at.server.delete('Dataset', namespace, 'phy');
    await at.quiet();
    expect(get('Dataset', 'phy')).toBeDefined();
    at.server.delete('Dataset', namespace, 'ref');
    await at.quiet();
    const left = at.server.all().filter(({ kind, metadata }) => metadata.namespace === namespace || kind === 'PersistentVolume');
    expect(left.map(({ kind, metadata }) => `${kind}/${metadata.name}`).filter((each) => !/Secret|-values$|Event/.test(each))).toEqual([]);
  },
);
