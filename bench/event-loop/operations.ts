import { DataLoad, parse } from '../../src/api/index.ts';
import type { Operation } from '../../src/constructs/index.ts';
import { clientsOf, mountScript, parseFuseConfig, parseMountTemplate } from '../../src/fuse/index.ts';
import { createCrowds } from '../../src/reconciler/kubernetes/store/crowds.ts';
import { lineOf } from '../../src/reconciler/operations/line.ts';
import type { OperationObject } from '../../src/reconciler/operations/world.ts';
import { BENCHED, type Kind } from '../kinds.ts';
import { range } from '../lab.ts';
import { type Cost, cpuOf, least } from './cost.ts';
import { passing } from './specs.ts';

const LOADING: readonly Kind[] = ['alluxio', 'jindo', 'juicefs', 'efc'];
const WAITING = 4000;

/** Lists of operations, lines of them, and the configuration of a ThinRuntime. */
export function* operations(quick: boolean): Iterable<Cost> {
  const target = range(2048).map((i) => ({ path: `/${String(i).padStart(400, 'p')}`, replicas: 1 }));
  const text = JSON.stringify({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataLoad',
    metadata: { name: 'op', namespace: 'ml' },
    spec: { dataset: { name: 'demo', namespace: 'ml' }, target },
  });
  const object = JSON.parse(text) as object;
  for (const kind of LOADING) {
    const load = passing(kind, { spec: BENCHED[kind].runtime, dataset: BENCHED[kind].dataset })().whole().operations.DataLoad;
    if (!load) continue;
    const { ms, outcome } = least(() => {
      const spec = parse(DataLoad, object).spec as Operation<'DataLoad'>['spec'];
      load({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec, facts: { pods: {} } });
    }, quick);
    yield { row: `load-${kind}`, ms, detail: { outcome, targets: target.length } };
  }
  const loads = range(WAITING).map(waiting);
  yield {
    row: 'line',
    ms: least(() => lineOf(loads, { find: () => undefined, hasJob: () => false }), quick).ms,
    detail: { waiting: WAITING },
  };
  yield { row: 'line-deleted', ...deleted(loads) };
  const config = JSON.stringify({
    targetPath: '/mnt',
    mounts: range(2048).map((i) => ({ mountPoint: `s3://b${i}`, name: `m${i}`, options: { a: 'v'.repeat(400) } })),
  });
  const template = parseMountTemplate(
    JSON.stringify({
      program: 'c',
      each: 'mounts',
      args: [{ each: 'mount.options', args: ['-o', '${option.name}=${option.value}'] }, '${mount.target}'],
    }),
  );
  yield {
    row: 'fuse-config',
    ms: least(() => mountScript(clientsOf(template, parseFuseConfig(config)), '/dir'), quick).ms,
    detail: { bytes: config.length },
  };
}

/** The cast: what a line reads of it. */
const waiting = (i: number) =>
  ({
    kind: 'DataLoad',
    metadata: { namespace: 'ml', name: `l${i}`, uid: `u${i}`, creationTimestamp: new Date(i * 1000).toISOString() },
    spec: { dataset: { name: 'demo', namespace: 'ml' } },
  }) as unknown as OperationObject;

/** The dearest of thousands of deletions. */
function deleted(loads: readonly OperationObject[]): Omit<Cost, 'row'> {
  const all = new Map(loads.map((load) => [load.metadata.name, load]));
  const crowds = createCrowds(({ name }) => all.get(name));
  for (const name of all.keys()) crowds.changed({ kind: 'DataLoad', namespace: 'ml', name });
  let [most, sum] = [0, 0];
  for (const {
    metadata: { name },
  } of loads) {
    all.delete(name);
    const { ms } = cpuOf(() => {
      crowds.changed({ kind: 'DataLoad', namespace: 'ml', name });
      return crowds.first({ namespace: 'ml', name: 'demo' }, 'DataLoad');
    });
    most = Math.max(most, ms);
    sum += ms;
  }
  return { ms: most, detail: { waiting: loads.length, together: sum } };
}
