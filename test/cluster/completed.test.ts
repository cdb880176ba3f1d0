/** The objects that Sluice renders after a real API server has completed them: the one in memory makes the same of them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { createApiServer } from '../../src/api-server/index.ts';
import { builtInKinds, CustomResourceDefinition } from '../../src/api-server/kinds.ts';
import { installationOf, settled } from '../../src/install/index.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../../src/kube/types.ts';
import { unique } from '../api-server/suite/objects.ts';
import { objectsIn } from '../support/objects.ts';
import { sharedControlPlane } from '../support/test-cluster.ts';

const root = join(import.meta.dirname, '../golden');
const namespace = unique('completed');
const typeOf = ({ apiVersion, kind }: KubeObject): ResourceType | undefined =>
  builtInKinds.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);

/** In place of the names that goldens have for UIDs. */
const OWNER = '00000000-0000-4000-8000-000000000001';

interface Case {
  readonly title: string;
  readonly type: ResourceType;
  readonly object: KubeObject;
}
/** A definition is named by its group. */
const renamed = (definition: KubeObject): KubeObject =>
  JSON.parse(JSON.stringify(definition).replaceAll('data.fluid.io', `${namespace}.fluid.io`)) as KubeObject;
/** With names of their own: another test may have installed what belongs to no namespace. */
const cases = (from: string, objects: readonly KubeObject[]): readonly Case[] =>
  objects.flatMap((object) => {
    const type = typeOf(object);
    if (!type) return [];
    const { namespace: _, name, ...metadata } = object.metadata;
    const inside = { ...object, metadata: { ...metadata, ...(type.namespaced ? { name, namespace } : { name: `${namespace}-${name}` }) } };
    return [
      { title: `${from}: ${object.kind} ${name}`, type, object: type.kind === CustomResourceDefinition.kind ? renamed(object) : inside },
    ];
  });
const rendered = globSync('*/*.yaml', { cwd: root })
  .toSorted()
  .flatMap((file) => cases(file, objectsIn(readFileSync(join(root, file), 'utf8').replaceAll(/<uid:[^>]*>/g, OWNER))));
const installed = cases(
  'sluice install',
  installationOf(settled({}, 'sluice:test', { furtherRuntimes: false }), { resources, runtimes }) as unknown as readonly KubeObject[],
);

/** Without what is another each time, and without the status, which is the controllers'. */
function essence(whole: KubeObject): unknown {
  const { status: _, metadata, ...object } = whole;
  const { uid = '', creationTimestamp: __, resourceVersion: ___, managedFields = [], ...meta } = metadata;
  const owners = (managedFields as readonly Record<string, unknown>[]).map(({ time: ____, ...entry }) => entry);
  const text = JSON.stringify({ ...object, metadata: { ...meta, managedFields: owners } })
    .replaceAll(uid, '<uid>')
    .replaceAll(/"10\.\d+\.\d+\.\d+"/g, '"<address>"');
  return JSON.parse(text, (key, value: unknown) => (isLeftOut(key, value) ? undefined : value));
}

/** Ownership of a map itself, beside its keys. And an annotation of DaemonSets: here their controller writes it. */
function isLeftOut(key: string, value: unknown): boolean {
  if (key === '.' || key.endsWith('deprecated.daemonset.template.generation')) return true;
  return key.endsWith('annotations') && Object.keys(value as object).length === 0;
}

describe('of what Sluice renders, the API server in memory makes what a real one makes:', () => {
  let real: KubeClient;
  const memory = createApiServer({ namespaces: [namespace] }).client({ fieldManager: 'sluice' });
  beforeAll(async () => {
    real = createClient(connectionFromKubeconfig([sharedControlPlane().kubeconfig]), { fieldManager: 'sluice' });
    await real.create(typeOf({ apiVersion: 'v1', kind: 'Namespace' } as KubeObject)!, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
  });
  afterAll(async () => {
    await real.delete(typeOf({ apiVersion: 'v1', kind: 'Namespace' } as KubeObject)!, { name: namespace });
    await real.close();
  });

  for (const [what, all] of Object.entries({ runtimes: rendered, installation: installed }))
    test.each(['apply', 'create'] as const)(`${what}, by %s`, async (verb) => {
      const ours: Record<string, unknown> = {};
      const theirs: Record<string, unknown> = {};
      for (const { title, type, object } of all) {
        ours[title] = essence(await memory[verb](type, object, { dryRun: true }));
        theirs[title] = essence(await real[verb](type, object, { dryRun: true }));
      }
      expect(all.length).toBeGreaterThan(10);
      const differing = Object.keys(theirs).filter((title) => !isDeepStrictEqual(ours[title], theirs[title]));
      const those = (made: Readonly<Record<string, unknown>>) => Object.fromEntries(differing.map((title) => [title, made[title]]));
      expect(those(ours)).toEqual(those(theirs));
    });
});
