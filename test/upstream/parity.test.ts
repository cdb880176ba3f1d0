import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../harness/index.ts';
import { InvalidSpec, type Manifest } from '../../src/api/index.ts';
import { type BoundRuntime, PRINT_ORDER } from '../../src/constructs/index.ts';
import { cacheLabels } from '../../src/reconciler/kubernetes/nodes/cache-labels.ts';
import { established } from '../support/sluice.ts';
import { sharedCluster } from '../support/test-cluster.ts';
import { type Case, hasGoldens, readCases, shownUid, withoutExclusive } from './cases.ts';
import { differences, refusals } from './differences.ts';
import { type Leaves, leavesOf } from './leaves.ts';

const cases = readCases();
const bound = cases.filter(({ name }) => !refusals[name]);

describe.skipIf(!hasGoldens)('parity with Fluid', () => {
  let cluster: Cluster;
  const ours = new Map<string, readonly Manifest[]>();
  const met = new Set<number>();

  beforeAll(async () => {
    cluster = await sharedCluster();
    await cluster.kubectl('apply', '--server-side', '-f', join(import.meta.dirname, '../../crds'));
    await established(cluster);
    for (const { namespace } of bound) await cluster.kubectl('create', 'namespace', namespace);
    for (const { name, objects } of await asStored(cluster, bound)) ours.set(name, objects);
  });
  // Waited for, since a second try begins with making them again.
  afterAll(
    async () => void (await cluster.kubectl('delete', 'namespace', '--ignore-not-found', ...bound.map(({ namespace }) => namespace))),
  );

  test.each(bound)('$name: the same objects', ({ name, golden, nodes, bind }) => {
    const found = compare([...(ours.get(name) ?? []), ...bind().flatMap(nodeLabels)], [...golden, ...asObject(nodes)]);
    const unexplained = found.filter((difference) => {
      const entries = differences.flatMap((entry, i) => (explains(entry, name, difference) ? [i] : []));
      for (const entry of entries) met.add(entry);
      return entries.length === 0;
    });
    expect(unexplained.map(({ object, path, fluid, ours }) => `${object} ${path}: Fluid ${fluid}, we ${ours}`)).toEqual([]);
  });
  test.each(Object.entries(refusals))('%s: refused', (name, refusal) => {
    const { bind } = cases.find((each) => each.name === name) as Case;
    expect(bind).toThrow(InvalidSpec);
    expect(bind).toThrow(refusal.ours);
  });
  test('an unintended difference is reported, in scripts as well', () => {
    const { golden } = cases.find(({ name }) => name === 'juicefs/ee-token') as Case;
    const changed = JSON.parse(
      JSON.stringify(golden).replace('"runAsUser":0', '"runAsUser":1').replace('ro,', 'rw,'),
    ) as readonly Manifest[];
    const paths = compare(changed, golden).map(({ object, path }) => `${object} ${path}`);
    expect(paths).toEqual([
      expect.stringMatching(/^ConfigMap\/jfsdemo-fuse-script data\[script\.sh\]\.step\[\d\]$/),
      expect.stringMatching(/securityContext\.runAsUser$/),
    ]);
  });
  test('every intended difference was met', () => {
    expect(differences.filter((_, i) => !met.has(i)).map(({ object, path, reason }) => `${object} ${path}: ${reason}`)).toEqual([]);
  });
});

/** Our objects with the API server's defaults: applied, but for the writing. */
async function asStored(
  cluster: Cluster,
  wanted: readonly Case[],
): Promise<readonly { readonly name: string; readonly objects: readonly Manifest[] }[]> {
  const all = wanted.map(({ name, bind, created }) => ({
    name,
    objects: [...created, ...bind().flatMap((runtime) => PRINT_ORDER.flatMap((part) => runtime.synth(part)))],
  }));
  const folder = mkdtempSync(join(tmpdir(), 'sluice-parity-'));
  const file = join(folder, 'objects.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all.flatMap(({ objects }) => objects) }));
  const answer = await cluster.kubectl(
    'apply',
    '--server-side',
    '--field-manager=sluice',
    '--dry-run=server',
    '--validate=strict',
    '-o',
    'json',
    '-f',
    file,
  );
  rmSync(folder, { recursive: true });
  const stored = [...(JSON.parse(shownUid(answer)) as { readonly items: readonly Manifest[] }).items];
  return all.map(({ name, objects }) => ({ name, objects: stored.splice(0, objects.length) }));
}

/** Labels of a node that holds a worker, as one more object. */
function nodeLabels({ plan }: BoundRuntime): readonly Manifest[] {
  if (!plan.replicas.worker) return [];
  return asObject([{ labels: cacheLabels(plan) }]);
}

/** All nodes of a case carry the same. */
const asObject = (nodes: readonly { readonly labels: Readonly<Record<string, string>> }[]): readonly Manifest[] =>
  [...new Set(nodes.map(({ labels }) => JSON.stringify(withoutExclusive(labels))))].map((labels, i) => ({
    apiVersion: 'v1',
    kind: 'NodeLabels',
    metadata: { name: `workers${i || ''}`, labels: JSON.parse(labels) as Record<string, string> },
  }));

interface Found {
  readonly object: string;
  readonly path: string;
  readonly fluid: string | undefined;
  readonly ours: string | undefined;
}

function compare(ours: readonly Manifest[], golden: readonly Manifest[]): readonly Found[] {
  const [mine, theirs] = [byName(ours), byName(golden)];
  return [...new Set([...mine.keys(), ...theirs.keys()])].toSorted().flatMap((object): readonly Found[] => {
    const [own, fluid] = [mine.get(object), theirs.get(object)];
    if (!own || !fluid) return [{ object, path: '', fluid: fluid && 'made', ours: own && 'made' }];
    const paths = [...new Set([...own.keys(), ...fluid.keys()])].filter((path) => own.get(path) !== fluid.get(path));
    return paths.map((path) => ({ object, path, fluid: fluid.get(path), ours: own.get(path) }));
  });
}
const byName = (objects: readonly Manifest[]): ReadonlyMap<string, Leaves> =>
  new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, leavesOf(object)]));

const explains = (entry: (typeof differences)[number], name: string, { object, path, fluid, ours }: Found): boolean =>
  (entry.cases?.test(name) ?? true) &&
  entry.object.test(object) &&
  entry.path.test(path) &&
  says(entry.fluid, fluid) &&
  says(entry.ours, ours);
const says = (pattern: RegExp | undefined, text: string | undefined): boolean =>
  pattern && text !== undefined ? pattern.test(text) : pattern === text;
