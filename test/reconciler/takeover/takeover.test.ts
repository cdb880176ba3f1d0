/** A runtime that Fluid has set up becomes Sluice's: what is asked about it until then, and afterwards. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import jindo from '../../../runtimes/jindo/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import vineyard from '../../../runtimes/vineyard/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { GOLDENS, hasGoldens } from '../../upstream/cases.ts';
import { type Harness, harness } from '../harness.ts';
import { putGolden } from './put-golden.ts';

const KINDS = ['StatefulSet', 'DaemonSet', 'PersistentVolume', 'PersistentVolumeClaim'];

/** An installation of Fluid with one case of the goldens, and our controller, which has not begun. */
async function takenOver(golden: string, more: Parameters<typeof harness>[0] = {}) {
  const at = await harness({
    runtimes: [thin, alluxio, jindo, vineyard],
    ...more,
    prepare: (server) => putGolden(server, join(GOLDENS, golden)),
  });
  const [dataset] = at.server.all().filter(({ kind }) => kind === 'Dataset');
  const { namespace = '', name } = dataset!.metadata;
  const of = (kind: string) => at.server.all().filter((each) => each.kind === kind && each.metadata.namespace === namespace);
  return { at, key: { namespace, name }, of };
}
const conditionsOf = (object: KubeObject | undefined) =>
  (object?.['status'] as { readonly conditions?: readonly object[] } | undefined)?.conditions;
const reads = ({ server }: Harness) =>
  server.requestsThat({ verb: 'get' }).flatMap(({ kind, name }) => (KINDS.includes(kind) ? [`${kind}/${name}`] : []));

test.skipIf(!hasGoldens).each([
  ['thin/plain-min', 'ThinRuntime'],
  ['alluxio/mem-basic', 'AlluxioRuntime'],
  ['jindo/oss-basic', 'JindoRuntime'],
  ['vineyard/default', 'VineyardRuntime'],
])('what was adopted of %s costs no request in later passes', async (golden, kind) => {
  const { at, key, of } = await takenOver(golden);
  await at.pass(key);
  expect(reads(at).length).toBeGreaterThan(2);
  await at.quiet();
  expect(conditionsOf(of(kind)[0])).toContainEqual(expect.objectContaining({ type: 'Synced' }));
  at.forget();
  for (let pass = 0; pass < 5; pass++) await at.pass(key);
  expect(reads(at)).toEqual([]);
});

test.skipIf(!hasGoldens)(
  'a take-over that waits for an edit of the spec keeps the host ports and the generation of fuse pods',
  async () => {
    const { at, key, of } = await takenOver('alluxio/mem-basic', { portPolicy: 'bitmap' });
    const template = (kind: string) =>
      JSON.stringify(
        of(kind)
          .map(({ metadata: { name }, spec }) => [name, portsIn(spec)])
          .toSorted(),
      );
    const before = template('StatefulSet');
    expect(before).toMatch(/\d{5}/);
    const valid = of('AlluxioRuntime')[0]!;
    const put = (spec: object) => {
      const { resourceVersion: _, ...metadata } = of('AlluxioRuntime')[0]!.metadata;
      at.server.put({ ...valid, status: of('AlluxioRuntime')[0]!['status'], metadata, spec });
    };
    put({ ...(valid['spec'] as object), tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: 'nonsense' }] } });
    await at.quiet();
    expect(JSON.stringify(of('AlluxioRuntime')[0]!['status'])).toContain('InvalidSpec');
    put(valid['spec'] as object);
    await at.pass(key);
    await at.quiet();
    expect(template('StatefulSet')).toBe(before);
  },
);

const portsIn = (spec: unknown): unknown =>
  (
    spec as { template: { spec: { containers: readonly { ports?: readonly { containerPort: number }[] }[] } } }
  ).template.spec.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort));
