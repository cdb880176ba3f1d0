import { GROUP, VERSION } from '../../src/api/index.ts';
import { apiVersionOf, type KubeObject } from '../../src/kube/types.ts';
import type { Dice } from './dice.ts';
import { forged } from './forge.ts';
import type { Pool } from './pool.ts';
import { type Level, MADE_BY_ATTACKER, mayWrite, remove as removed, write } from './rights.ts';
import { A, B, NODES } from './scene.ts';
import { bodies, datasetOfItsOwn, operations, runtimeKinds, workloads } from './specs.ts';
import { read, seen, where } from './words.ts';

/** The attacker's actions, as far as its rights allow; each returns a description. Undefined: there was no object for it. */
export type Act = (dice: Dice, pool: Pool, level: Level) => string | undefined;

const others = Object.keys(bodies).filter((kind) => ![...runtimeKinds, ...operations, ...workloads, 'Dataset'].includes(kind));
const kindFor = (dice: Dice, pool: Pool): string => {
  if (dice.is('a Dataset', 0.3)) return 'Dataset';
  return pool.ofGroups(dice, 'kind', {
    Dataset: ['Dataset'],
    ThinRuntime: ['ThinRuntime'],
    Pod: ['Pod'],
    runtimes: runtimeKinds,
    operations,
    workloads,
    others,
  });
};
const namespaceFor = (dice: Dice): string => (dice.is('in the second namespace', 0.45) ? B : A);

export const create: Act = (dice, pool, level) => {
  const kind = level >= 2 && dice.is('a volume', 0.15) ? 'PersistentVolume' : kindFor(dice, pool);
  if (kind === 'PersistentVolume') return copyVolume(dice, pool, level);
  const metadata = { name: pool.name(dice), namespace: namespaceFor(dice) };
  if (kind === 'Dataset' && dice.is('with its runtime', 0.4)) return createBoth(dice, pool, level, metadata);
  const made = objectOf(pool, kind, metadata, bodies[kind]?.(dice.of('body'), pool));
  return write(pool, dice.is('plain', 0.5) ? made : forged(dice, pool, made), level);
};

const objectOf = (pool: Pool, kind: string, metadata: KubeObject['metadata'], body: object | undefined): KubeObject =>
  ({ apiVersion: apiVersionOf(pool.world.server.typeOf(kind)), kind, metadata, ...body }) as KubeObject;

/** A Dataset and the runtime that serves it: one file of its author. */
function createBoth(dice: Dice, pool: Pool, level: Level, metadata: KubeObject['metadata']): string {
  const kind = dice.is('a thin one', 0.6) ? 'ThinRuntime' : pool.among(dice, 'kind of runtime', runtimeKinds, 2);
  const runtime = objectOf(pool, kind, metadata, bodies[kind]?.(dice.of('body'), pool));
  const dataset = objectOf(pool, 'Dataset', metadata, { spec: datasetOfItsOwn(dice) });
  return [runtime, dataset]
    .map((each) => write(pool, dice.is(`plain ${each.kind}`, 0.7) ? each : forged(dice.of(each.kind), pool, each), level))
    .join('; ');
}

/** An object that exists, here or with another tenant, once more: under another name, in the attacker's namespace, with changes. */
export const copy: Act = (dice, pool, level) => {
  const all = seen(pool.world).filter(({ kind }) => bodies[kind]);
  if (all.length === 0) return undefined;
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  const kind = dice.is('a workload', 0.4)
    ? pool.among(
        dice,
        'workload to copy',
        workloads.filter((each) => kinds.includes(each)),
        2,
      )
    : pool.among(dice, 'kind to copy', kinds, 3);
  const same = all.filter((each) => each.kind === kind);
  const isOwn = ({ metadata: { namespace } }: KubeObject) => namespace === A || namespace === B;
  const original = pool.ofGroups(dice, 'original', { own: same.filter(isOwn), others: same.filter((each) => !isOwn(each)) }, where);
  const { labels, annotations, ownerReferences, finalizers } = original.metadata;
  const metadata = {
    name: dice.is('same name', 0.3) ? original.metadata.name : pool.name(dice),
    namespace: namespaceFor(dice),
    ...(labels && dice.is('with labels', 0.7) && { labels }),
    ...(annotations && dice.is('with annotations', 0.8) && { annotations }),
    ...(ownerReferences && dice.is('with owners', 0.8) && { ownerReferences }),
    ...(finalizers && dice.is('with finalizers', 0.5) && { finalizers }),
  };
  const made = elsewhere(dice, read({ ...original, metadata } as KubeObject));
  return write(pool, dice.is('exactly', 0.3) ? made : forged(dice, pool, made), level);
};

/** A pod is most often copied to have it somewhere else. */
function elsewhere(dice: Dice, object: KubeObject): KubeObject {
  if (object.kind !== 'Pod' || !dice.is('elsewhere', 0.7)) return object;
  return { ...object, spec: { ...(object['spec'] as object), nodeName: dice.pick('node', NODES) } } as KubeObject;
}

const copyVolume: Act = (dice, pool, level) => {
  const all = seen(pool.world).filter(({ kind }) => kind === 'PersistentVolume');
  if (all.length === 0) return undefined;
  const { status: _, ...original } = read(dice.pick('volume', all, where));
  const { labels, annotations } = original.metadata;
  const metadata = { name: pool.name(dice), ...(labels && { labels }), annotations: { ...annotations, [MADE_BY_ATTACKER]: '1' } };
  const { claimRef: __, ...spec } = original['spec'] as Record<string, unknown>;
  const claimRef = { namespace: namespaceFor(dice), name: pool.name(dice.of('claim')) };
  const made = { ...original, metadata, spec: dice.is('for a claim', 0.7) ? { ...spec, claimRef } : spec } as KubeObject;
  return write(pool, forged(dice, pool, made), level);
};

export const edit: Act = (dice, pool, level) => {
  const object = own(dice, pool, level);
  if (!object) return undefined;
  if (!dice.is('new spec', 0.5)) return write(pool, forged(dice, pool, object), level);
  return write(pool, { ...object, ...bodies[object.kind]?.(dice.of('body'), pool) } as KubeObject, level);
};

export const remove: Act = (dice, pool, level) => {
  const object = own(dice, pool, level);
  return object && removed(pool, object, dice.is('orphan', 0.4) ? 'Orphan' : dice.is('foreground', 0.15) ? 'Foreground' : 'Background');
};

/** One of the attacker's objects: most often one that it has just written, or of its own making; also what the controller made for it. */
function own(dice: Dice, pool: Pool, level: Level): KubeObject | undefined {
  const all = pool.world.server.all().filter((object) => mayWrite(object, level));
  const touched = pool.touched(all);
  if (touched.length > 0 && dice.is('once more', 0.55)) return dice.pick('touched', touched, where);
  const ours = all.filter(({ apiVersion }) => apiVersion === `${GROUP}/${VERSION}`);
  const from = dice.is('of our API', 0.8) && ours.length > 0 ? ours : all;
  return from.length === 0 ? undefined : pool.among(dice, 'own object', from, 4, where);
}
