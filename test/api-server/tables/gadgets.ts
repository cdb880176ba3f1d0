/** A custom resource whose columns have every form of a path. */
import type { PrinterColumn } from '../../../src/api-server/definition.ts';
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';

export const Gadget: ResourceType = { group: 'table.example.io', version: 'v1', plural: 'gadgets', kind: 'Gadget', namespaced: true };

const PATHS = [
  '.spec.text',
  '.spec.count',
  '.spec.fraction',
  '.spec.huge',
  '.spec.flag',
  '.spec.nothing',
  '.spec.map',
  '.spec.list',
  '.spec.missing.deeper',
  '.spec.text.deeper',
  '.spec.list[0]',
  '.spec.list[-1]',
  '.spec.list[7]',
  '.spec.list[1:]',
  '.spec.list[:2]',
  '.spec.list[0:3:2]',
  '.spec.list[2:1]',
  '.spec.list[*]',
  '.spec.list[0,2]',
  '.spec.map[0]',
  '.spec.missing[0]',
  `.spec['text']`,
  `.spec['text','count']`,
  '.spec.map.dotted\\.key',
  `.spec.map['dotted\\.key']`,
  `.spec.map['dotted.key']`,
  // A map with one key: Go has no order of keys.
  '.spec.single.*',
  '.spec.entries[*].type',
  '.spec.entries[?(@.type=="Ready")].status',
  `.spec.entries[?(@.type=='Ready')].status`,
  '.spec.entries[?(@.type!="Ready")].status',
  '.spec.entries[?(@.type=="None")].status',
  '.spec.entries[?(@.weight>1)].type',
  '.spec.entries[?(@.weight>=2)].type',
  '.spec.entries[?(@.weight<2)].type',
  '.spec.entries[?(@.weight<=1)].type',
  '.spec.entries[?(@.weight=="1")].type',
  '.spec.entries[?(@.open==true)].type',
  '.spec.entries[?(@.open)].type',
  '.spec.entries[?(@.type)].type',
  '.spec.entries[?(@.type=="(")].type',
  '.spec.map[?(@.a==1)]',
  '..weight',
  '.spec..type',
  '.spec.entries[0]["type"]',
  '.spec.entries[0].type text',
  '.',
  '.metadata.labels.example\\.io/label',
  '.metadata.name',
];
const columns = (type: string, paths: readonly string[]): readonly PrinterColumn[] =>
  // A path begins with one dot.
  paths.map((jsonPath, i) => ({ name: `c${i}`, type, jsonPath: jsonPath.startsWith('..') ? `.spec${jsonPath}` : jsonPath }));
const fields = '.spec.text .spec.count .spec.fraction .spec.flag .spec.map .spec.list .spec.old .spec.empty .spec.number'.split(' ');

/** By version of the API: its columns. */
export const gadgetColumns: Readonly<Record<string, readonly PrinterColumn[]>> = {
  v1: columns('string', PATHS),
  v2: ['integer', 'number', 'boolean', 'date'].flatMap((type) =>
    columns(type, fields).map((each) => ({ ...each, name: `${type} ${each.name}` })),
  ),
  v3: [
    { name: 'Shown', type: 'string', jsonPath: '.spec.text', description: 'What it says.', priority: 3 },
    { name: 'Formatted', type: 'integer', format: 'int64', jsonPath: '.spec.count' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  v4: [],
  v5: columns('string', ['.spec.text', '.spec.list[', '.spec.count']),
  v6: columns('string', ['.spec.text', '.spec.list[a]', '.spec.count']),
  v7: columns('string', ['.spec.text', '.spec.list[?(@.a]', '.spec.count']),
  v8: columns('string', ['.spec.text', '.spec}', '.spec.count']),
  v9: columns('string', ['.spec.text', '.spec#', '.spec.#', '.spec "open']),
};

export const gadgetDefinition = ({ group, kind, plural }: ResourceType): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    names: { kind, plural },
    scope: 'Namespaced',
    versions: Object.entries(gadgetColumns).map(([name, additionalPrinterColumns]) => ({
      name,
      served: true,
      storage: name === 'v1',
      additionalPrinterColumns,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })),
  },
});

export const gadget = ({ group }: ResourceType, namespace: string): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Gadget',
  metadata: { name: 'one', namespace, labels: { 'example.io/label': 'labelled' } },
  spec: {
    text: 'a & <b>',
    count: 12,
    fraction: 0.5,
    huge: 1.5e30,
    number: 0.00000123,
    flag: false,
    nothing: null,
    map: { z: '<&>', a: 1, 'dotted.key': 'dotted', dotted: { key: 'nested' } },
    single: { key: 'value' },
    list: ['first', 'second', 'third'],
    entries: [
      { type: 'Ready', status: 'True', weight: 1, open: true },
      { type: 'Other', status: 'False', weight: 2, open: false },
    ],
    old: '2001-02-03T04:05:06Z',
    empty: '',
  },
});
