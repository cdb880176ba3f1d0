/** test/cluster/crds.test.ts holds each entry to that of a real API server. */
import { expect, test } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { crdOf } from '../../src/api/crd.ts';
import type { ResourceType } from '../../src/kube/types.ts';
import { builtInKinds } from '../../src/api-server/kinds.ts';
import { type Discovered, discovery } from '../../src/api-server/wire/discovery.ts';
import { servedBuiltIns, servedBy, servedKind } from '../../src/api-server/wire/served.ts';

const served = [...servedBuiltIns, ...resources.flatMap((resource) => servedBy(crdOf(resource)))];
const aggregated = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
/** The header of kubectl 1.29 to 1.35. */
const KUBECTL = `${aggregated('v2')},${aggregated('v2beta1')},application/json`;
const at = (path: string, accept?: string) => discovery(path, accept, served)?.body as Record<string, never> | undefined;
const entries = (path: string) => (at(path)?.['resources'] ?? []) as readonly Record<string, unknown>[];

test('the core group has a root of its own', () => {
  expect(at('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  expect(entries('/api/v1').find(({ name }) => name === 'pods')).toMatchObject({
    singularName: 'pod',
    namespaced: true,
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
  });
  expect(entries('/api/v1')).toContainEqual(expect.objectContaining({ name: 'pods/status', verbs: ['get', 'patch', 'update'] }));
});

test('each other group is listed once, with its versions', () => {
  const groups = at('/apis')?.['groups'] as unknown as { name: string; preferredVersion: object }[];
  const names = [...builtInKinds, ...resources.map(() => ({ group: 'data.fluid.io' }))].map(({ group }) => group);
  expect(groups.map(({ name }) => name)).toEqual([...new Set(names)].filter((name) => name !== ''));
  expect(names).toContain('apps');
  const version = { groupVersion: 'data.fluid.io/v1alpha1', version: 'v1alpha1' };
  expect(groups.at(-1)).toEqual({ name: 'data.fluid.io', versions: [version], preferredVersion: version });
  expect(at('/apis/data.fluid.io')).toMatchObject({ kind: 'APIGroup', name: 'data.fluid.io', versions: [version] });
});

test('custom resources are listed as their definitions name them', () => {
  expect(entries('/apis/data.fluid.io/v1alpha1').find(({ name }) => name === 'datasets')).toMatchObject({
    singularName: 'dataset',
    kind: 'Dataset',
    shortNames: ['dataset'],
    categories: ['fluid'],
  });
});

test('a client that accepts it gets all resources at once, in the version that it names first', () => {
  const roots = ['/api', '/apis'].map((path) => discovery(path, KUBECTL, served));
  expect(roots.map((root) => root?.contentType)).toEqual([aggregated('v2'), aggregated('v2')]);
  const names = roots.flatMap((root) => {
    const { items } = (root as Discovered).body as { items: { versions: { resources: { resource: string }[] }[] }[] };
    return items.flatMap(({ versions }) => versions.flatMap((version) => version.resources.map(({ resource }) => resource)));
  });
  expect(names.toSorted()).toEqual([...builtInKinds, ...resources].map(({ plural }) => plural).toSorted());
  expect(at('/apis', `${aggregated('v2beta1')}, application/json`)).toMatchObject({ apiVersion: 'apidiscovery.k8s.io/v2beta1' });
  expect(at('/apis', 'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io')).toMatchObject({
    apiVersion: 'apidiscovery.k8s.io/v2',
  });
});

test('a client that accepts anything, or an aggregated form of the future, gets the plain form', () => {
  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    `application/json,${aggregated('v2')}`,
    `${aggregated('v9')},application/json`,
  ])
    expect(at('/apis', accept)).toMatchObject({ kind: 'APIGroupList' });
});

test('a subresource with an answer of another kind says which', () => {
  const Scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  const [StatefulSet] = builtInKinds.filter(({ kind }) => kind === 'StatefulSet') as [ResourceType];
  expect(discovery('/apis/apps/v1', undefined, [servedKind(StatefulSet)])?.body).toMatchObject({
    resources: [
      { name: 'statefulsets', shortNames: ['sts'] },
      { name: 'statefulsets/scale', ...Scale, verbs: ['get', 'patch', 'update'] },
      { name: 'statefulsets/status' },
    ],
  });
});

test('a resource that is not served is not found', () => {
  for (const path of ['/', '/version', '/apis/nothing.io', '/apis/apps/v2', '/api/v2', '/api/v1/pods', '/apis/apps/v1/daemonsets'])
    expect(at(path), path).toBeUndefined();
});
