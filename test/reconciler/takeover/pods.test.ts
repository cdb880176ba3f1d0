/** Pods that Fluid created without the label by which pods are watched: before Fluid 1.0.5 all of them. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { alluxioFileSystem } from '../../support/alluxio-exec.ts';
import { hasGoldens } from '../../upstream/cases.ts';
import type { Harness } from '../harness.ts';
import { ownStatus } from '../../support/own-status.ts';
import { takenOver } from './taken-over.ts';

const ID = 'fluid.io/dataset-id';
const lists = ({ server }: Harness) => server.requestsThat({ verb: 'list', kind: 'Pod' }).length;
const podPatches = (at: Harness) => at.written({ kind: 'Pod', when: ({ body }) => JSON.stringify(body).includes(ID) });
const conditionsOf = (object: KubeObject | undefined) =>
  ownStatus<{ conditions?: readonly { type: string; message?: string }[] }>(object).conditions ?? [];

test.skipIf(!hasGoldens).each([
  ['alluxio/mem-basic', 'AlluxioRuntime'],
  ['juicefs/ce-min', 'JuiceFSRuntime'],
  ['jindo/oss-basic', 'JindoRuntime'],
  ['efc/full', 'EFCRuntime'],
  ['thin/plain-min', 'ThinRuntime'],
  ['vineyard/default', 'VineyardRuntime'],
])('pods of %s as Fluid 1.0.4 created them get their label once, stay, and are named in PodsOutdated', async (golden, kind) => {
  const { at, key, of, uids } = await takenOver(golden);
  const before = uids();
  expect(before.length).toBeGreaterThan(0);
  expect(of('Pod').filter(({ metadata }) => ID in (metadata.labels ?? {}))).toEqual([]);
  await at.quiet();
  expect(of('Pod').map(({ metadata }) => metadata.labels?.[ID])).toEqual(before.map(() => `${key.namespace}-${key.name}`));
  expect(uids()).toEqual(before);
  expect(podPatches(at)).toHaveLength(before.length);
  const outdated = conditionsOf(of(kind)[0]).find(({ type }) => type === 'PodsOutdated')?.message ?? '';
  for (const { metadata } of of('Pod')) expect(outdated).toContain(metadata.name);
  at.forget();
  for (let pass = 0; pass < 5; pass++) await at.pass(key);
  expect(lists(at) + podPatches(at).length).toBe(0);
});

test.skipIf(!hasGoldens)('of pods that are watched already, none is listed or written', async () => {
  const { at } = await takenOver('alluxio/mem-basic', { changed: (object) => object });
  at.forget();
  await at.quiet();
  expect([lists(at), podPatches(at)]).toEqual([0, []]);
});

test.skipIf(!hasGoldens).each(['jindo/oss-basic', 'thin/plain-min'])(
  'pods of %s are not told of a configuration that only gets labels',
  async (golden) => {
    const { at, of } = await takenOver(golden, { changed: (object) => object });
    await at.quiet();
    expect(at.written({ kind: 'ConfigMap' }).length).toBeGreaterThan(0);
    expect(of('Pod').length).toBeGreaterThan(0);
    expect(at.written({ kind: 'Pod' })).toEqual([]);
  },
);

test.skipIf(!hasGoldens)('nodes keep the labels of a cache whose pods had no label, and no write removes one on the way', async () => {
  const { at, key } = await takenOver('alluxio/mem-basic');
  const labels = () =>
    at.server
      .all('Node')
      .flatMap(({ metadata }) => Object.entries(metadata.labels ?? {}).filter(([each]) => each.startsWith('fluid.io/s-')));
  const before = labels();
  expect(before).toHaveLength(4);
  await at.quiet();
  expect(labels()).toEqual(before);
  expect(at.server.requestsThat({ kind: 'Node', verb: 'patch' }).filter(({ body }) => JSON.stringify(body).includes('null'))).toEqual([]);
  expect(key.name).toBe('hbase');
});

test.skipIf(!hasGoldens)('commands run in such pods: mounts change, and a master that returns ends Failed', async () => {
  const files = alluxioFileSystem();
  const { at, key, of } = await takenOver('alluxio/mem-basic', { options: { exec: files.exec, probeMs: 60_000 } });
  const dataset = () => ownStatus<{ phase?: string }>(of('Dataset')[0]);
  await at.quiet();
  expect(files.execs.join('\n')).toContain('hbase-master-0/alluxio-master');
  expect(conditionsOf(of('AlluxioRuntime')[0]).map(({ type }) => type)).toContain('Synced');
  expect(dataset().phase).toBe('Bound');

  const { resourceVersion: _, ...metadata } = of('Dataset')[0]!.metadata;
  const mounts = [
    { mountPoint: 'https://mirrors.bit.edu.cn/apache/hbase/stable/', name: 'hbase' },
    { mountPoint: 'https://a.example/y', name: 'y' },
  ];
  at.server.put({ ...of('Dataset')[0]!, metadata, spec: { mounts } });
  await at.quiet();
  expect(files.execs.filter((each) => / mount .*\/y/.test(each))).toHaveLength(1);

  at.controllers.unready.add(`${key.namespace}/hbase-master`);
  await at.advance(30_000);
  expect(dataset().phase).toBe('Failed');
  at.controllers.unready.clear();
  await at.advance(30_000);
  expect(dataset().phase).toBe('Bound');
});

test.skipIf(!hasGoldens).each(['after', 'before'])('a cache is cleaned in such pods, deleted %s the take-over', async (when) => {
  const files = alluxioFileSystem();
  const { at, key, of } = await takenOver('alluxio/two-tier', { options: { exec: files.exec, probeMs: 60_000 } });
  if (when === 'after') await at.quiet();
  at.server.delete('Dataset', key.namespace, key.name);
  await at.quiet(60_000);
  expect(of('AlluxioRuntime')).toHaveLength(0);
  expect(files.execs.filter((each) => each.includes('-worker-0/alluxio-worker') && each.includes('rm -rf'))).toHaveLength(1);
});

test.skipIf(!hasGoldens)(
  'a pod of a tenant that the selector matches, but that has another controller or none, is not written',
  async () => {
    const { at, key, of } = await takenOver('efc/full', {
      prepare(server, namespace) {
        const worker = server.get('StatefulSet', namespace, 'efc-demo-master')!;
        const { labels } = (worker['spec'] as { template: KubeObject }).template.metadata;
        const others = [undefined, { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'mine', uid: 'other', controller: true }];
        for (const [i, owner] of others.entries())
          server.put({
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: `mine-${i}`, namespace, labels: { ...labels }, ...(owner && { ownerReferences: [owner] }) },
            spec: { containers: [{ name: 'main', image: 'example.io/main:1' }] },
          } as KubeObject);
      },
    });
    await at.quiet();
    const labelled = of('Pod').filter(({ metadata }) => metadata.labels?.[ID] === `${key.namespace}-${key.name}`);
    expect(labelled.map(({ metadata }) => metadata.name)).toContain('efc-demo-master-0');
    expect(labelled.filter(({ metadata }) => metadata.name.startsWith('mine'))).toEqual([]);
    expect(podPatches(at).filter((each) => each.includes('mine'))).toEqual([]);
  },
);

test.skipIf(!hasGoldens)(
  'a pod that an old template created after the others were labelled is found after five seconds, and once',
  async () => {
    const { at, key, of } = await takenOver('alluxio/mem-basic');
    await at.quiet();
    await at.advance(60_000);
    const worker = of('Pod').find(({ metadata }) => metadata.name === 'hbase-worker-0')!;
    const { resourceVersion: _, ...metadata } = worker.metadata;
    const { [ID]: __, ...labels } = metadata.labels ?? {};
    at.server.put({ ...worker, metadata: { ...metadata, labels } });
    at.forget();
    await at.advance(4_000);
    expect(lists(at)).toBe(0);
    await at.advance(4_000);
    expect(of('Pod').find(({ metadata: { name } }) => name === 'hbase-worker-0')?.metadata.labels?.[ID]).toBe(
      `${key.namespace}-${key.name}`,
    );
    expect([lists(at), podPatches(at)]).toEqual([1, ['patch Pod/hbase-worker-0']]);
  },
);

test.skipIf(!hasGoldens)('while the API server refuses to label pods, Synced says so, and the labels of nodes stay', async () => {
  const { at, of } = await takenOver('alluxio/mem-basic');
  const refused = at.server.rules.refuse(
    { verb: 'patch', kind: 'Pod' },
    { status: 403, reason: 'Forbidden', message: 'a policy refuses it' },
  );
  at.start();
  await at.advance(20_000);
  expect(conditionsOf(of('AlluxioRuntime')[0]).find(({ type }) => type === 'Synced')?.message).toContain('a policy refuses it');
  expect(at.written({ kind: 'Node' })).toEqual([]);
  refused.remove();
  await at.advance(90_000);
  expect(of('Pod').filter(({ metadata }) => !(ID in (metadata.labels ?? {})))).toEqual([]);
});

test.skipIf(!hasGoldens)('an EFC keeps its workers in the list that its clients read, from the first write', async () => {
  const { at, key, of } = await takenOver('efc/full', { changed: (object) => object });
  const workers = of('Pod').filter(({ metadata: { name } }) => name.includes('-worker-'));
  expect(workers.length).toBeGreaterThan(0);
  const status = { phase: 'Running', podIP: '10.0.0.9', conditions: [{ type: 'Ready', status: 'True' }] };
  for (const {
    spec,
    metadata: { resourceVersion: _, ...metadata },
    ...rest
  } of workers)
    at.server.put({ ...rest, metadata, spec: { ...(spec as object), nodeName: 'node-1' }, status });
  const isList = ({ name = '' }: { readonly name?: string | undefined }) => name.endsWith('-worker-endpoints');
  const lists: string[] = [];
  const look = () => void lists.push(...of('ConfigMap').flatMap((each) => (isList(each.metadata) ? [JSON.stringify(each['data'])] : [])));
  at.server.rules.add({ verb: 'apply', kind: 'ConfigMap', when: isList }, { after: look });
  await at.pass(key);
  await at.quiet();
  expect(lists.length).toBeGreaterThan(0);
  for (const list of lists) expect(list).toContain('10.0.0.9:');
});
