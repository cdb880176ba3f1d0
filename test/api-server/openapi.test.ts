/** test/cluster/crds.test.ts holds what kubectl makes of it to what it makes of a real API server. */
import { expect, test } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { kubernetesSchemas, schemasModule } from '../../scripts/kubernetes-schemas.ts';
import { crdOf } from '../../src/api/crd.ts';
import type { ResourceType } from '../../src/kube/types.ts';
import { createOpenApi } from '../../src/api-server/wire/openapi/index.ts';
import { servedBuiltIns, servedBy, servedKind } from '../../src/api-server/wire/served.ts';

const crds = resources.map(crdOf);
const Webhook: ResourceType = { group: 'a.io', version: 'v1', kind: 'Hook', plural: 'hooks', namespaced: false };
const served = [...servedBuiltIns, ...crds.flatMap(servedBy), servedKind(Webhook)];
const openApi = createOpenApi(served, crds);

type Loose = { readonly [field: string]: Loose };
const at = (path: string): Loose => openApi(path)?.body as unknown as Loose;
const paths = Object.keys(at('/openapi/v3')['paths'] as object);

test('every group version has a document, under a path with its hash', () => {
  expect(paths).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/data.fluid.io/v1alpha1', 'apis/a.io/v1']));
  const listed = at('/openapi/v3')['paths']?.['api/v1'] as unknown as { serverRelativeURL: string } | undefined;
  expect(listed?.serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{32}$/);
  const changed = createOpenApi(served, crds.slice(1))('/openapi/v3')?.body as unknown as Loose;
  expect(changed['paths']?.['api/v1']).toEqual(at('/openapi/v3')['paths']?.['api/v1']);
  expect(changed['paths']?.['apis/data.fluid.io/v1alpha1']).not.toEqual(at('/openapi/v3')['paths']?.['apis/data.fluid.io/v1alpha1']);
});

const refsIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, each]) => (key === '$ref' && typeof each === 'string' ? [each] : refsIn(each)))
    : [];

test.each([...paths.map((path) => `/openapi/v3/${path}`), '/openapi/v2'])('each reference of %s leads to a schema', (path) => {
  const document = at(path);
  const [prefix, schemas] = document['swagger']
    ? ['#/definitions/', document['definitions']]
    : ['#/components/schemas/', document['components']?.['schemas']];
  const missing = [...new Set(refsIn(document))].filter((ref) => !ref.startsWith(prefix) || !schemas?.[ref.slice(prefix.length)]);
  expect(missing).toEqual([]);
});

test.each(served.map(({ type }) => [type.kind, type] as const))('%s has a schema, and a PATCH that takes fieldValidation', (kind, type) => {
  const document = at(`/openapi/v3/${type.group === '' ? 'api' : `apis/${type.group}`}/${type.version}`);
  const gvk = { group: type.group, version: type.version, kind };
  const schemas = Object.values(document['components']?.['schemas'] ?? {});
  const own = schemas.filter((schema) => JSON.stringify(schema['x-kubernetes-group-version-kind']?.[0]) === JSON.stringify(gvk));
  expect(own).toHaveLength(1);
  expect(Object.keys(own[0]?.['properties'] ?? {})).toEqual(expect.arrayContaining(['apiVersion', 'kind', 'metadata']));
  const patches = Object.values(document['paths'] ?? {}).flatMap(({ patch }) => patch ?? []);
  const ours = patches.filter((patch) => JSON.stringify(patch['x-kubernetes-group-version-kind']) === JSON.stringify(gvk));
  expect(ours.length).toBeGreaterThan(0);
  for (const { parameters } of ours) expect(JSON.stringify(parameters)).toContain('"name":"fieldValidation","in":"query"');
});

test('version 2 is JSON, which a client that wants protobuf alone does not get', () => {
  expect(openApi('/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf')).toBeUndefined();
  expect(at('/openapi/v2')).toMatchObject({ swagger: '2.0', definitions: { 'io.fluid.data.v1alpha1.Dataset': { type: 'object' } } });
  expect(openApi('/openapi')).toBeUndefined();
  expect(openApi('/openapi/v3/apis/nothing.io/v1')).toBeUndefined();
});

test('an excerpt keeps a kind and what it refers to, with the first sentence of each description', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const text = { type: 'string' };
  const schemas = {
    'a.Thing': {
      properties: {
        apiVersion: text,
        kind: text,
        metadata: ref('m.Meta'),
        spec: { allOf: [ref('a.Spec')], default: {}, description: 'What is wanted. Long.' },
      },
      'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Thing' }],
    },
    'a.Spec': {
      properties: {
        list: { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic', description: `A ${'very '.repeat(40)}long one` },
      },
    },
    'a.Other': { properties: { metadata: {} } },
    'm.Meta': {},
  };
  const kept = kubernetesSchemas([{ components: { schemas } }], ['Thing']);
  expect(Object.keys(kept)).toEqual(['a.Spec', 'a.Thing', 'm.Meta']);
  expect(kept['a.Thing']).toMatchObject({
    properties: { metadata: { $ref: 'Meta' }, spec: { $ref: 'Spec', description: 'What is wanted.' } },
  });
  expect(kept['a.Thing']).not.toHaveProperty('properties.kind');
  expect(kept['a.Spec']).toMatchObject({ properties: { list: { description: expect.stringMatching(/^A very .{100,} …$/) as string } } });
  expect(JSON.stringify(kept['a.Spec'])).not.toContain('atomic');
  expect(schemasModule(kept, 'v1')).toContain('\n"a.Spec": {');
  expect(() => kubernetesSchemas([{ components: { schemas: { ...schemas, 'b.Meta': {}, 'a.Spec': ref('b.Meta') } } }], ['Thing'])).toThrow(
    'two schemas are named Meta',
  );
});
