import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { resources } from '../../runtimes/_resources.gen.ts';
import { crdOf, structural } from '../../src/api/crd.ts';
import { IntOrString } from '../../src/api/k8s.gen.ts';
import * as k8s from '../../src/api/k8s.ts';
import type { CustomResource } from '../../src/api/resource.ts';

describe('a TypeBox schema becomes structural', () => {
  test.each([
    ['a record', Type.Record(Type.String(), Type.Integer()), { type: 'object', additionalProperties: { type: 'integer' } }],
    ['a literal', Type.Literal('a'), { type: 'string', enum: ['a'] }],
    ['an enum, which TypeBox gives no type', Type.Enum(['a', '']), { type: 'string', enum: ['a', ''] }],
    ['an enum of numbers', Type.Enum([1, 2]), { type: 'number', enum: [1, 2] }],
    ['a union of literals', Type.Union([Type.Literal('a'), Type.Literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    ['a union with null', Type.Union([Type.String({ minLength: 1 }), Type.Null()]), { type: 'string', minLength: 1, nullable: true }],
    ['a union of integer and string', Type.Union([Type.String(), Type.Integer()]), IntOrString],
    ['an embedded quantity', k8s.Quantity, { ...IntOrString, pattern: expect.stringContaining('KMGTPE') }],
    ['a single allOf', Type.Unsafe({ allOf: [Type.String()], description: 'x' }), { type: 'string', description: 'x' }],
    ['anything', Type.Any(), { 'x-kubernetes-preserve-unknown-fields': true }],
    ['an object with no fields', Type.Object({}), { type: 'object' }],
    [
      'an object',
      Type.Object({
        a: Type.Optional(Type.Integer({ default: 1, minimum: 0, format: 'int32' })),
        b: Type.Array(Type.Boolean(), { minItems: 1 }),
      }),
      {
        type: 'object',
        required: ['b'],
        properties: {
          a: { type: 'integer', default: 1, minimum: 0, format: 'int32' },
          b: { type: 'array', minItems: 1, items: { type: 'boolean' } },
        },
      },
    ],
  ])('%s', (_, schema, expected) => {
    // Through JSON, since that is what the API server sees.
    expect(JSON.parse(JSON.stringify(structural(schema, 'spec')))).toEqual(expected);
  });

  test.each([
    ['a union of objects', Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })])],
    ['an intersection', Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })])],
    ['a record with special keys', Type.Record(Type.String({ pattern: '^a' }), Type.String())],
    ['a tuple', Type.Tuple([Type.String(), Type.Integer()])],
    ['a reference', Type.Ref('a')],
    ['an enum of several types', Type.Enum(['a', 1])],
    ['a refusal of other fields', Type.Object({}, { additionalProperties: false })],
  ])('%s is refused, and says where', (_, schema) => {
    expect(() => structural(Type.Object({ list: Type.Array(schema) }), 'spec')).toThrow('spec.list[]: ');
  });
});

describe('a CRD', () => {
  const resource = {
    kind: 'Thing',
    plural: 'things',
    namespaced: false,
    description: 'A thing.',
    statusSubresource: true,
    scale: { selector: true },
    spec: Type.Object({}),
    status: Type.Object({}),
  } as const satisfies CustomResource;

  test('has what its resource says', () => {
    expect(crdOf({ ...resource, shortNames: ['th'], categories: ['fluid'] })).toMatchObject({
      metadata: { name: 'things.data.fluid.io' },
      spec: {
        scope: 'Cluster',
        names: { kind: 'Thing', listKind: 'ThingList', plural: 'things', singular: 'thing', shortNames: ['th'], categories: ['fluid'] },
        versions: [
          {
            name: 'v1alpha1',
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.replicas',
                statusReplicasPath: '.status.currentWorkerNumberScheduled',
                labelSelectorPath: '.status.selector',
              },
            },
          },
        ],
      },
    });
  });

  test('leaves out what its resource does not say', () => {
    const { scale: _, ...plain } = resource;
    const text = JSON.stringify(crdOf({ ...plain, statusSubresource: false }));
    for (const absent of ['shortNames', 'categories', 'additionalPrinterColumns', 'scale', '"status":{}', 'validations']) {
      expect(text).not.toContain(absent);
    }
  });

  test('has no selector for autoscalers when its resource has none', () => {
    expect(JSON.stringify(crdOf({ ...resource, scale: { selector: false } }))).not.toContain('labelSelectorPath');
  });

  test.each(resources.map((ours) => [ours.kind, ours] as const))('of %s fits into the annotation that kubectl apply writes', (_, ours) => {
    expect(JSON.stringify(crdOf(ours)).length).toBeLessThan(200_000);
  });

  test.each(resources.map((ours) => [ours.kind, ours] as const))('of %s describes every field of our own', (_, ours) => {
    const undescribed: string[] = [];
    const embedded = new Set(Object.values(k8s).map((schema) => JSON.stringify(structural(schema, ''))));
    const visit = (node: ReturnType<typeof structural>, path: string): void => {
      const { description, ...rest } = node;
      if (!description && path.includes('.') && !path.endsWith(']')) undescribed.push(path);
      if (embedded.has(JSON.stringify(rest))) return;
      for (const [name, child] of Object.entries(node.properties ?? {})) visit(child, `${path}.${name}`);
      if (node.items) visit(node.items, `${path}[]`);
    };
    visit(structural(ours.spec, 'spec'), 'spec');
    visit(structural(ours.status, 'status'), 'status');
    expect(undescribed).toEqual([]);
  });
});
