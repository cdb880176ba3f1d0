import { STORAGE_ENV } from '../../runtimes/thin/config.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { sidecar } from '../../src/api/sidecars.ts';
import { reader } from '../support/objects.ts';
import { type Cast, castNames, castOf } from './casts.ts';
import { drawFaults } from './faults.ts';
import { operationsOn } from './operations.ts';
import type { Deed, Happening, Plan } from './plan.ts';
import { createRandom, type Random } from './random.ts';

/** How long users are busy, ms. */
const BUSY_MS = 30_000;

/** The events in the world of a seed. */
export function planOf(seed: number): Plan {
  const random = createRandom(`plan ${seed}`);
  const kinds = random.chance(0.5) ? [random.pick(castNames)] : [random.pick(castNames), random.pick(castNames)];
  const casts = kinds.map((kind, i) =>
    castOf(kind, random.chance(0.8) ? 'ml' : 'lab', i === 0 || random.chance(0.1) ? 'demo' : 'other', random),
  );
  const deeds = [...casts.flatMap((cast) => deedsOf(cast, random)), ...elsewhere(random, casts)];
  if (random.chance(0.3)) deeds.push(afterwards(random.pick(casts), random));
  deeds.push(...casts.flatMap((cast) => placed(cast, random.fork(`placement of ${cast.name}`))));
  const faults = drawFaults(random, BUSY_MS);
  const happenings = [...deeds, ...faults].toSorted((a, b) => a.atMs - b.atMs);
  const given = new Map(casts.flatMap((cast) => cast.given).map((object) => [`${object.kind}/${object.metadata.name}`, object]));
  const ends = happenings.map((each) => each.atMs + ('forMs' in each ? each.forMs : 0));
  return {
    seed,
    candidates: random.chance(0.5) ? 1 : 2,
    nodes: random.int(1, 3),
    probeMs: random.pick([0, 10_000, 60_000]),
    secretMs: random.pick([0, 300_000]),
    passMs: random.pick([0, 0, 0, 12]),
    mutates: random.chance(0.1),
    env: random.chance(0.3) ? { [STORAGE_ENV]: 'secret' } : {},
    concurrency: random.pick([1, 2, 32]),
    ...(random.chance(0.1) && { denied: random.pick(['ServiceAccount', 'ConfigMap', 'StatefulSet', 'PersistentVolume', 'Job', 'Pod']) }),
    given: [...given.values()],
    happenings,
    calmMs: Math.max(1000, ...ends),
  };
}

/** Creations in any order, edits, and what may be deleted and created again. */
function deedsOf(cast: Cast, random: Random): readonly Happening[] {
  const { namespace, name, objects, edits } = cast;
  const happenings: Happening[] = [];
  const at = (atMs: number, deed: Deed) => happenings.push({ atMs, ...deed });
  const spread = random.pick([0, 500, 5000]);
  const create = (object: KubeObject, from: number) => at(from + random.int(0, spread), { does: 'create', object });
  for (const object of objects) create(object, 0);
  const count = random.int(0, 5);
  for (let i = 0; i < count; i++) {
    const atMs = random.int(0, BUSY_MS);
    const kind = random.int(0, 9);
    const object = random.pick(objects);
    if (kind < 6 && edits.length > 0) {
      const { kind, patch, at: where = { namespace, name } } = random.pick(edits);
      at(atMs, { does: 'edit', kind, ...where, patch });
    } else if (kind < 9) {
      at(atMs, { does: 'delete', kind: object.kind, namespace: object.metadata.namespace ?? '', name: object.metadata.name });
      if (random.chance(0.8)) create(object, atMs + random.int(0, 5000));
    } else at(atMs, { does: random.pick(['lose', 'vandalize', 'disown', 'forge']), which: random.int(0, 30) });
  }
  const [companion] = cast.given;
  if (companion && random.chance(0.3)) {
    const atMs = random.int(0, BUSY_MS);
    const named = { kind: companion.kind, namespace: '', name: companion.metadata.name };
    if (cast.companionPatch && random.chance(0.7)) at(atMs, { does: 'edit', ...named, patch: cast.companionPatch });
    else {
      at(atMs, { does: 'delete', ...named });
      if (random.chance(0.8)) create(companion, atMs + random.int(0, 5000));
    }
  }
  if (random.chance(0.08)) create(squatter(cast, random), 0);
  return [...happenings, ...operationsOn(cast, random, BUSY_MS), ...podsOn(cast, random)];
}

/** An edit when the others are done. */
function afterwards({ namespace, name, edits, given, companionPatch }: Cast, random: Random): Happening {
  const atMs = BUSY_MS + random.int(3000, 12_000);
  const [companion] = given;
  if (companion && companionPatch && random.chance(0.5))
    return { atMs, does: 'edit', kind: companion.kind, namespace: '', name: companion.metadata.name, patch: companionPatch };
  const { kind, patch, at = { namespace, name } } = random.pick(edits);
  return { atMs, does: 'edit', kind, ...at, patch };
}

/** Pods that mount the claim for a while, and pods with a sidecar whose application ends. */
function podsOn({ namespace, name }: Cast, random: Random): readonly Happening[] {
  const happenings: Happening[] = [];
  const count = random.pick([0, 0, 1, 1, 2]);
  for (let i = 0; i < count; i++) {
    const atMs = random.int(0, BUSY_MS / 2);
    const pod = reader(`reader-${name}-${i}`, name);
    const object = { ...pod, metadata: { ...pod.metadata, namespace, labels: { app: 'reader' } } };
    happenings.push({ atMs, does: 'create', object });
    if (random.chance(0.6))
      happenings.push({ atMs: atMs + random.int(0, BUSY_MS), does: 'delete', kind: 'Pod', namespace, name: object.metadata.name });
  }
  if (random.chance(0.1)) happenings.push({ atMs: random.int(0, BUSY_MS), does: 'create', object: application(namespace) });
  return happenings;
}

/** Fuse pods are to leave a node on which a pod has mounted the claim for a while, and that pod ends later, if it ever does. */
function placed({ namespace, name, edits }: Cast, random: Random): readonly Happening[] {
  const leaves = edits.find(({ patch }) => 'nodeSelector' in ((patch as { spec?: { fuse?: object } }).spec?.fuse ?? {}));
  if (!leaves || !random.chance(0.1)) return [];
  const pod = reader(`reader-${name}-there`, name);
  const metadata = { ...pod.metadata, namespace, labels: { app: 'reader' } };
  const object = { ...pod, metadata, spec: { ...(pod['spec'] as object), nodeSelector: { zone: 'b' } } };
  const atMs = random.int(0, 5000);
  const editedMs = atMs + random.int(15_000, 25_000);
  const ends: Happening = { atMs: editedMs + random.int(0, 8000), does: 'delete', kind: 'Pod', namespace, name: metadata.name };
  return [
    { atMs, does: 'create', object },
    { atMs: editedMs, does: 'edit', kind: leaves.kind, namespace, name, patch: leaves.patch },
    ...(random.chance(0.7) ? [ends] : []),
  ];
}

/** An object of a user under a name that the controller will want. */
function squatter({ namespace, name }: Cast, random: Random): KubeObject {
  const metadata = (suffix: string) => ({ namespace, name: `${name}${suffix}` });
  const template = { metadata: { labels: { app: 'mine' } }, spec: { containers: [{ name: 'mine', image: 'example.io/mine' }] } };
  const spec = { selector: { matchLabels: { app: 'mine' } }, replicas: 0, template };
  return random.pick<KubeObject>([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('-fuse-conf'), data: { mine: 'yes' } },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: metadata('-worker'), spec },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: metadata(''), spec: { resources: { requests: { storage: '1Gi' } } } },
  ]);
}

const application = (namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'application', namespace, labels: { [sidecar.done]: 'true', [`${sidecar.datasetName}fluid-fuse-0`]: 'demo' } },
  spec: {
    restartPolicy: 'Never',
    containers: [
      {
        name: 'fluid-fuse-0',
        image: 'example.io/fuse',
        lifecycle: { preStop: { exec: { command: ['sh', '-c', 'umount /runtime-mnt'] } } },
      },
      { name: 'main', image: 'example.io/main' },
    ],
  },
});

function elsewhere(random: Random, casts: readonly Cast[]): readonly Happening[] {
  const happenings: Happening[] = [];
  if (random.chance(0.1)) happenings.push({ atMs: random.int(0, BUSY_MS), does: 'free the lease' });
  if (random.chance(0.06)) happenings.push(...withNamespace(random.pick(casts), random));
  if (random.chance(0.3)) happenings.push({ atMs: random.int(0, BUSY_MS), does: 'node', name: 'node-9', is: 'added' });
  if (random.chance(0.2)) happenings.push({ atMs: random.int(0, BUSY_MS), does: 'node', name: 'node-1', is: 'removed' });
  return happenings;
}

/** A namespace is deleted while the controller is at work in it. Most come back, some with the same Datasets. */
function withNamespace({ namespace, objects }: Cast, random: Random): readonly Happening[] {
  const atMs = random.int(0, BUSY_MS);
  const backMs = atMs + random.int(0, 20_000);
  return [
    { atMs, does: 'namespace', name: namespace, is: 'removed' },
    ...(random.chance(0.7) ? [{ atMs: backMs, does: 'namespace', name: namespace, is: 'added' } as const] : []),
    ...(random.chance(0.5) ? objects.map((object): Happening => ({ atMs: backMs + random.int(0, 500), does: 'create', object })) : []),
  ];
}
