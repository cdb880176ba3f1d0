/** The API server's record of who wrote which field shows whether an object is still as it was sent, without a look at what it holds. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../../src/api/index.ts';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';
import { differences } from '../../../src/planning/diff/compare.ts';
import { ownedType } from '../../../src/planning/kinds.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import { isStillOurs } from '../../../src/planning/diff/managed-fields.ts';
import { createOwnedProjection } from '../../../src/reconciler/kubernetes/store/owned-projection.ts';
import { sharedCluster } from '../../support/test-cluster.ts';

const root = join(import.meta.dirname, '../../golden');
const all = globSync('*/*.yaml', { cwd: root }).filter((file) => !file.startsWith('cli/'));
const varied = ['juicefs/community-tier.yaml', 'thin/full.yaml', 'thin/claim-copied-secret.yaml'];

let client: KubeClient;
let namespace: string;
let projected: ReturnType<typeof createOwnedProjection>;
beforeAll(async () => {
  const cluster = await sharedCluster();
  client = createClient(connectionFromKubeconfig([cluster.kubeconfig]), { fieldManager: 'sluice' });
  projected = createOwnedProjection({ text: (text) => text });
  namespace = `ownership-${process.hrtime.bigint().toString(36)}`;
  await cluster.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});
afterAll(async () => {
  await client.delete({ group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }, { name: namespace });
  await client.close();
});

const untouched = (sent: Manifest, object: KubeObject): boolean => {
  const live = projected(object);
  return live.ownership !== undefined && isStillOurs(sent, live.ownership, live);
};

const manifestsOf = (file: string): readonly Manifest[] =>
  parseAllDocuments(readFileSync(join(root, file), 'utf8')).flatMap((document) => {
    const manifest = document.toJS() as Manifest | null;
    if (!manifest) return [];
    const { name } = manifest.metadata;
    // Volumes are the cluster's: those of other tests have these names.
    return ownedType(manifest.kind).namespaced
      ? { ...manifest, metadata: { ...manifest.metadata, namespace } }
      : { ...manifest, metadata: { ...manifest.metadata, name: `${namespace}-${name}` } };
  });

/** JSON pointers to every leaf, and to what holds it. */
function pointers(value: unknown, at = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inside = Object.entries(value).flatMap(([key, field]) =>
    pointers(field, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [...(at === '' ? [] : [at]), ...inside];
}
const other = (value: unknown): unknown =>
  typeof value === 'string' ? `${value}x` : typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : undefined;
const valueAt = (pointer: string, object: unknown): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], object);

/** The object after another writer's patch; undefined if the API server refuses the patch. */
async function after(type: ResourceType, { metadata }: KubeObject, ...patch: readonly object[]): Promise<KubeObject | undefined> {
  try {
    return await client.patch(type, metadata, patch, { type: 'json', dryRun: true, fieldManager: 'another' });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

test.each(all)('%s: what is created and applied is ours as a whole', async (file) => {
  for (const manifest of manifestsOf(file)) {
    const type = ownedType(manifest.kind);
    const created = await client.create(type, manifest as KubeObject, { dryRun: true });
    expect(untouched(manifest, created), `${manifest.kind}/${manifest.metadata.name} created`).toBe(true);
    const applied = await client.apply(type, manifest as KubeObject, { dryRun: true, force: true });
    expect(untouched(manifest, applied), `${manifest.kind}/${manifest.metadata.name} applied`).toBe(true);
  }
});

/** Created for real, and so without an owner that does not exist: the garbage collector would delete them. */
const ownerless = (file: string): readonly Manifest[] =>
  manifestsOf(file).map((manifest) => {
    const { ownerReferences: _, ...metadata } = manifest.metadata;
    return { ...manifest, metadata };
  });

describe.each(varied)('%s', (file) => {
  test('any field that another writer changes or removes is no longer ours', async () => {
    let tried = 0;
    for (const manifest of ownerless(file)) {
      const type = ownedType(manifest.kind);
      const created = await client.create(type, manifest as KubeObject);
      const { apiVersion: _, kind: __, metadata, ...body } = manifest;
      const { name: ___, namespace: ____, ...marks } = metadata;
      const sent = { ...body, metadata: marks };
      for (const path of pointers(sent)) {
        const value = other(valueAt(path, sent));
        const changes = [{ op: 'remove', path }, ...(value === undefined ? [] : [{ op: 'replace', path, value }])];
        for (const change of changes) {
          const found = await after(type, created, change);
          if (!found || differences(sent, found).length === 0) continue;
          tried++;
          expect(untouched(manifest, found), `${manifest.kind}/${metadata.name} ${JSON.stringify(change)}`).toBe(false);
        }
      }
      await client.delete(type, created.metadata);
    }
    expect(tried).toBeGreaterThan(100);
  });

  test('additions of others, and notes of the control plane, leave it ours', async () => {
    const manifest = ownerless(file).find(({ kind }) => kind === 'DaemonSet')!;
    const type = ownedType('DaemonSet');
    const created = await client.create(type, manifest as KubeObject);
    const noted = await after(type, created, { op: 'add', path: '/metadata/annotations/team', value: 'ml' });
    expect(untouched(manifest, noted!)).toBe(true);
    const counted = await client.patch(
      type,
      created.metadata,
      { status: { numberMisscheduled: 1 } },
      { type: 'merge', subresource: 'status', fieldManager: 'kube-controller-manager' },
    );
    expect(untouched(manifest, counted)).toBe(true);
    expect(projected(counted).ownership).toBe(projected(created).ownership);
    await client.delete(type, created.metadata);
  });
});
