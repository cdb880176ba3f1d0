import { runtimes } from '../../../runtimes/_all.gen.ts';
import type { Manifest } from '../../../src/api/index.ts';
import { BadInput } from '../../../src/cli/input/faults.ts';
import { readInput } from '../../../src/cli/input/read.ts';
import { inCluster } from '../../../src/cli/synth/lookup.ts';
import { renderAll } from '../../../src/cli/synth/render.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { ApiServer } from '../../../src/api-server/index.ts';
import type { Plan } from '../plan.ts';
import { settingsOf } from '../world.ts';

/** The output of `sluice synth` for objects of the cluster, or the faults for which it renders nothing. */
export type Rendering = { readonly manifests: readonly Manifest[] } | { readonly faults: readonly string[] };

/** @param objects of one Dataset: it, its runtime, or an operation on it */
export async function renderingOf(server: ApiServer, plan: Plan, objects: readonly KubeObject[]): Promise<Rendering> {
  const text = objects.map((object) => JSON.stringify(asWritten(object))).join('\n---\n');
  const elsewhere = inCluster(server.client(), runtimes);
  try {
    const input = readInput([['cluster', text]], runtimes, 'default');
    const { datasets, operations } = await renderAll(input, { settings: settingsOf(plan), runtimes, elsewhere, assumeSecrets: true });
    return { manifests: [...datasets, ...operations].flatMap(({ manifests }) => manifests) };
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return { faults: error.faults.map(({ object, path, expected, found }) => `${object}: ${path}: expected ${expected}, found ${found}`) };
  }
}

/** Without what only the server and the controller write, but for what decides names: `renderAll` finds that in the cluster. */
function asWritten(object: KubeObject): object {
  const { name, namespace, labels, annotations } = object.metadata;
  return { ...object, status: undefined, metadata: { name, namespace, labels, annotations } };
}

/** Each field of a manifest that the object of the cluster has otherwise, as `spec.replicas: 2, not 1`. */
export function differences(manifest: unknown, live: unknown, path = ''): readonly string[] {
  // Addresses of pods, which only a running controller knows.
  if (path.endsWith('data.efc-worker-endpoints.json')) return [];
  if (live === undefined && isEmpty(manifest)) return [];
  if (typeof manifest === 'string' && /<(?:uid|ip|node|label|leader):[^<>"]+>/.test(manifest)) return [];
  if (Array.isArray(manifest)) {
    const key = keyOfList(manifest, live);
    if (key) return byKey(manifest, live as readonly object[], key, path);
    if (!Array.isArray(live) || live.length !== manifest.length) return [`${path}: ${short(live)}, not ${short(manifest)}`];
    return manifest.flatMap((each, i) => differences(each, live[i], `${path}[${i}]`));
  }
  if (typeof manifest === 'object' && manifest !== null) {
    if (typeof live !== 'object' || live === null) return [`${path}: ${short(live)}, not ${short(manifest)}`];
    return Object.entries(manifest).flatMap(([key, value]) =>
      value === undefined ? [] : differences(value, (live as Record<string, unknown>)[key], path ? `${path}.${key}` : key),
    );
  }
  return manifest === live ? [] : [`${path}: ${short(live)}, not ${short(manifest)}`];
}

/** Fields that a server drops from Kubernetes' own kinds, as Go leaves them out of JSON. */
const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Fields by which Kubernetes merges the items of a list: their order there is the server's. */
const MERGE_KEYS = ['name', 'mountPath', 'containerPort', 'ip'] as const;
type Item = Readonly<Record<string, unknown>>;

function keyOfList(manifest: readonly unknown[], live: unknown): string | undefined {
  const items = [...manifest, ...(Array.isArray(live) ? live : [])];
  const isKeyed = (key: string) => items.every((item) => typeof item === 'object' && item !== null && (item as Item)[key] !== undefined);
  const isUnique = (key: string) => new Set(manifest.map((item) => (item as Item)[key])).size === manifest.length;
  return Array.isArray(live) && items.length > 0 ? MERGE_KEYS.find((key) => isKeyed(key) && isUnique(key)) : undefined;
}

function byKey(manifest: readonly unknown[], live: readonly object[], key: string, path: string): readonly string[] {
  const named = (list: readonly unknown[]) => new Map(list.map((item) => [(item as Item)[key], item]));
  const [wanted, there] = [named(manifest), named(live)];
  const surplus = [...there.keys()].filter((each) => !wanted.has(each)).map((each) => `${path}[${String(each)}]: not wanted`);
  return [...surplus, ...[...wanted].flatMap(([each, item]) => differences(item, there.get(each), `${path}[${String(each)}]`))];
}

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
