import { describe, expect, test } from 'vitest';
import { JuiceFSRuntime } from '../../runtimes/juicefs/spec.ts';
import { Dataset, type DatasetSpec } from '../../src/api/dataset.ts';
import { InvalidSpec } from '../../src/api/errors.ts';
import { faultsOf, parse } from '../../src/api/parse.ts';
import type { CustomResource } from '../../src/api/resource.ts';
import { ThinRuntime, ThinRuntimeProfile } from '../../src/api/thin.ts';

const object = (resource: CustomResource, spec: unknown, metadata: object = {}) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: resource.kind,
  metadata: { name: 'demo', ...(resource.namespaced && { namespace: 'ml' }), ...metadata },
  spec,
});
const faults = (resource: CustomResource, spec: unknown, metadata?: object) =>
  faultsOf(resource, object(resource, spec, metadata)).map(({ path, expected, found }) => `${path}: ${expected}: ${found}`);
const nameFault = (resource: CustomResource, name: unknown, spec: unknown = {}) => faults(resource, spec, { name });

describe('parse', () => {
  test('gives what the API server would store', () => {
    const spec = {
      mounts: [{ mountPoint: 'local:///data', bogus: 1, options: { a: null, b: '' }, name: null }],
      placement: null,
      unknown: { deep: true },
    };
    expect(parse(Dataset, object(Dataset, spec)).spec).toEqual({ mounts: [{ mountPoint: 'local:///data', options: { b: '' } }] });
  });

  test('fills in the defaults of what is there', () => {
    const spec = {
      management: { cleanCachePolicy: {}, metadataSyncPolicy: {} },
      tieredstore: { levels: [{ mediumtype: 'MEM', volumeType: null }] },
      fuse: { ports: [{ containerPort: 80 }], livenessProbe: { grpc: { port: 1 } } },
    };
    expect(parse(ThinRuntime, object(ThinRuntime, spec)).spec).toEqual({
      management: { cleanCachePolicy: { gracePeriodSeconds: 60, maxRetryAttempts: 3 }, metadataSyncPolicy: {} },
      tieredstore: { levels: [{ mediumtype: 'MEM', volumeType: 'hostPath' }] },
      fuse: { ports: [{ containerPort: 80, protocol: 'TCP' }], livenessProbe: { grpc: { port: 1, service: '' } } },
    });
    expect(parse(ThinRuntimeProfile, object(ThinRuntimeProfile, { fileSystemType: 'x' })).spec.nodePublishSecretPolicy).toBe(
      'MountNodePublishSecretIfExists',
    );
  });

  test('adds no default that Fluid lacks', () => {
    expect(parse(JuiceFSRuntime, object(JuiceFSRuntime, {})).spec).toEqual({});
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { key: 'k' } } }];
    expect(parse(ThinRuntime, object(ThinRuntime, { fuse: { env } })).spec.fuse?.env).toEqual(env);
  });

  test('has the type that the schema says', () => {
    const { spec, metadata }: { spec: DatasetSpec; metadata: { name: string } } = parse(Dataset, object(Dataset, {}));
    // @ts-expect-error: no such field
    expect(spec.nothing).toBeUndefined();
    expect(metadata.name).toBe('demo');
  });

  test('reads an absent spec as an empty one', () => {
    const { spec: _, ...bare } = object(Dataset, {});
    expect(parse(Dataset, bare).spec).toEqual({});
  });

  test('refuses nothing in a status, which it prunes all the same', () => {
    const status = { phase: 'Bound', mounts: [{ mountPoint: 'x' }], nothing: 1 };
    expect(parse(Dataset, { ...object(Dataset, {}), status }).status).toEqual({ phase: 'Bound', mounts: [{ mountPoint: 'x' }] });
    expect(parse(Dataset, { ...object(Dataset, {}), status: null })).not.toHaveProperty('status');
  });

  test('keeps the metadata', () => {
    const metadata = {
      uid: 'u',
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: '2025-01-31T12:00:00Z',
      labels: { 'a/b': 'c' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'q', controller: true }],
      managedFields: [{ manager: 'x', fieldsV1: { 'f:spec': {} } }],
    };
    expect(parse(Dataset, object(Dataset, {}, metadata)).metadata).toEqual({ name: 'demo', namespace: 'ml', ...metadata });
  });

  test('keeps keys that JavaScript treats specially', () => {
    const spec = JSON.parse('{"sharedOptions":{"__proto__":"a","constructor":"b","toString":"c"}}') as unknown;
    expect(JSON.stringify(parse(Dataset, object(Dataset, spec)).spec)).toBe(JSON.stringify(spec));
  });

  test('asks for a required field even if every object has a member of that name', () => {
    const resource = { ...Dataset, spec: { type: 'object', required: ['toString'], properties: { toString: { type: 'string' } } } };
    expect(faults(resource, {})).toEqual(['spec.toString: a string: nothing']);
  });

  test('throws every fault, with the object they are in', () => {
    const invalid = object(Dataset, { placement: 'Here', mounts: [{}] });
    expect(() => parse(Dataset, invalid)).toThrow(InvalidSpec);
    expect(() => parse(Dataset, invalid)).toThrow(
      'Dataset ml/demo: spec.placement: expected one of Exclusive, "", Shared, found "Here"; ' +
        'spec.mounts[0].mountPoint: expected a string of at least 5 characters, found nothing',
    );
  });
});

describe('a fault says where, what was expected and what was found', () => {
  test.each<[string, CustomResource, unknown, string]>([
    ['a wrong type', Dataset, { mounts: {} }, 'spec.mounts: a list of at least 1 item: {}'],
    ['a spec that is no object', Dataset, [], 'spec: an object: []'],
    ['a null in a list', Dataset, { tolerations: [null] }, 'spec.tolerations[0]: an object: null'],
    ['a text for a number', JuiceFSRuntime, { replicas: 'three' }, 'spec.replicas: a 32-bit integer: "three"'],
    ['a fraction', JuiceFSRuntime, { replicas: 1.5 }, 'spec.replicas: a 32-bit integer: 1.5'],
    ['a number too large for its field', JuiceFSRuntime, { replicas: 3e9 }, 'spec.replicas: a 32-bit integer: 3000000000'],
    ['a number too small', JuiceFSRuntime, { worker: { replicas: 0 } }, 'spec.worker.replicas: a 32-bit integer of at least 1: 0'],
    [
      'a text for a boolean',
      Dataset,
      { mounts: [{ mountPoint: 'a://b', readOnly: 'yes' }] },
      'spec.mounts[0].readOnly: true or false: "yes"',
    ],
    [
      'a value outside its enum',
      ThinRuntime,
      { tieredstore: { levels: [{ mediumtype: 'RAM' }] } },
      'spec.tieredstore.levels[0].mediumtype: one of MEM, SSD, HDD: "RAM"',
    ],
    ['a text too short', Dataset, { mounts: [{ mountPoint: 'a' }] }, 'spec.mounts[0].mountPoint: a string of at least 5 characters: "a"'],
    ['a list too short', Dataset, { mounts: [] }, 'spec.mounts: a list of at least 1 item: []'],
    ['a missing field', ThinRuntimeProfile, {}, 'spec.fileSystemType: a string: nothing'],
    [
      'a malformed quantity',
      ThinRuntime,
      { tieredstore: { levels: [{ mediumtype: 'MEM', quota: '10 GB' }] } },
      'spec.tieredstore.levels[0].quota: a quantity such as 10Gi, 500M or 0.5: "10 GB"',
    ],
    [
      'a malformed list of quantities',
      ThinRuntime,
      { tieredstore: { levels: [{ mediumtype: 'MEM', quotaList: '1Gi' }] } },
      'spec.tieredstore.levels[0].quotaList: two or more quantities separated by commas, such as 10Gi,20Gi: "1Gi"',
    ],
    [
      'a port that is neither number nor name',
      ThinRuntime,
      { fuse: { livenessProbe: { tcpSocket: { port: true } } } },
      'spec.fuse.livenessProbe.tcpSocket.port: an integer or a string: true',
    ],
    ['an option that is no text', Dataset, { sharedOptions: { 'a.b/c': 1 } }, 'spec.sharedOptions["a.b/c"]: a string: 1'],
    [
      'a repeated key',
      ThinRuntime,
      { fuse: { resources: { claims: [{ name: 'a' }, { name: 'a' }] } } },
      'spec.fuse.resources.claims[1].name: each name once: "a" again',
    ],
  ])('%s', (_, resource, spec, expected) => {
    expect(faults(resource, spec)).toEqual([expected]);
  });

  test('all of them at once, in the order of the fields', () => {
    const spec = { mounts: [{ mountPoint: 'x' }, { readOnly: 1 }], placement: 'x', owner: { uid: '0' } };
    expect(faults(Dataset, spec, { name: 'Bad_Name' }).map((fault) => fault.split(': ')[0])).toEqual([
      'spec.mounts[0].mountPoint',
      'spec.mounts[1].readOnly',
      'spec.mounts[1].mountPoint',
      'spec.placement',
      'spec.owner.uid',
      'spec.owner.gid',
      'spec.owner.user',
      'spec.owner.group',
      'metadata.name',
    ]);
  });

  test.each([
    ['1Gi', true],
    ['1.5Ti', true],
    ['100m', true],
    ['1e3', true],
    ['+.5', true],
    [3, true],
    ['-1', true],
    ['1gi', false],
    ['', false],
    ['Gi', false],
    [1.5, false],
    [null, true],
  ])('the quantity %j is right: %s', (quota, right) => {
    expect(faults(ThinRuntime, { tieredstore: { levels: [{ mediumtype: 'MEM', quota }] } }).length === 0).toBe(right);
  });

  test.each([
    ['2025-01-31T12:00:00Z', true],
    ['2025-01-31T12:00:00.123456+02:00', true],
    ['2025-01-31', false],
    ['2025-13-31T12:00:00Z', false],
  ])('the time %s is right: %s', (time, right) => {
    const resource = { ...Dataset, spec: { type: 'string', format: 'date-time' } };
    expect(faults(resource, time)).toEqual(right ? [] : [`spec: a time such as 2025-01-31T12:00:00Z: "${time}"`]);
  });
});

describe('a field that does not exist', () => {
  test.each([
    ['in another case', { mountpoints: [], Mounts: [] }, ['did you mean mounts?', 'did you mean mounts?']],
    ['with a slip', { toleration: [], plcement: 'Shared' }, ['did you mean tolerations?', 'did you mean placement?']],
    ['unlike any', { foo: 1 }, ['mounts, owner, nodeAffinity, tolerations, accessModes']],
  ])('%s is a fault with a hint', (_, spec, hints) => {
    const found = faults(Dataset, spec).filter((fault) => !fault.startsWith('spec.mountpoints'));
    const wanted = hints.slice(-found.length);
    expect(found).toHaveLength(wanted.length);
    for (const [index, hint] of wanted.entries()) expect(found[index]).toContain(hint);
  });

  test('is looked for where it stands, in embedded Kubernetes types too', () => {
    expect(faults(ThinRuntime, { volumes: [{ name: 'a', hostpath: { path: '/' } }] })).toEqual([
      'spec.volumes[0].hostpath: a known field (did you mean hostPath?): "hostpath"',
    ]);
  });

  test('is pruned on request, as the API server does', () => {
    const input = { ...object(Dataset, { foo: 1 }, { bar: 2 }), baz: 3 };
    expect(faultsOf(Dataset, input, { unknownFields: 'prune' })).toEqual([]);
    expect(faultsOf(Dataset, input).map(({ path }) => path)).toEqual(['baz', 'metadata.bar', 'spec.foo']);
  });
});

describe('metadata', () => {
  const long = 'a'.repeat(46);

  test.each<[string, CustomResource, unknown, string[]]>([
    ['a dataset that fits', Dataset, 'a'.repeat(63), []],
    ['a dataset with a dot', Dataset, 'a.b', ['at most 63 lower-case letters, digits and dashes, a letter first and no dash last: "a.b"']],
    ['a dataset with a digit first', Dataset, '1a', ['a letter first']],
    ['a dataset too long', Dataset, 'a'.repeat(64), ['at most 63']],
    ['a runtime that has no workers yet', JuiceFSRuntime, 'a'.repeat(56), []],
    ['a runtime whose StatefulSet could have no name', JuiceFSRuntime, 'a'.repeat(57), ['at most 56 characters']],
    ['a runtime without workers', ThinRuntime, long, []],
    ['a profile with dots', ThinRuntimeProfile, 'a.b', []],
    ['a profile in upper case', ThinRuntimeProfile, 'A', ['lower-case']],
    ['no name', Dataset, undefined, ['a string of at least 1 character: nothing']],
    ['an empty name', Dataset, '', ['a string of at least 1 character: ""']],
  ])('of %s', (_, resource, name, expected) => {
    const found = nameFault(resource, name, resource === ThinRuntimeProfile ? { fileSystemType: 'x' } : {});
    expect(found).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) expect(found[index]).toContain(text);
  });

  test('a runtime whose workers could have no label needs a shorter name', () => {
    expect(nameFault(JuiceFSRuntime, long, { replicas: 1 })[0]).toContain('at most 45 characters');
    expect(nameFault(ThinRuntime, long, { worker: { enabled: true } })[0]).toContain('at most 45 characters');
  });

  test.each([
    ['labels that are no text', { labels: { a: 1 } }, 'metadata.labels.a: a string: 1'],
    [
      'a namespace that cannot be',
      { namespace: 'My Team' },
      'metadata.namespace: at most 63 lower-case letters, digits and dashes: "My Team"',
    ],
    ['a field that does not exist', { label: {} }, 'metadata.label: a known field (did you mean labels?): "label"'],
  ])('%s', (_, metadata, expected) => {
    expect(faults(Dataset, {}, metadata)).toEqual([expected]);
  });

  test('a cluster-wide object has no namespace', () => {
    expect(faults(ThinRuntimeProfile, { fileSystemType: 'x' }, { namespace: 'ml' })).toEqual([
      'metadata.namespace: nothing, since a ThinRuntimeProfile has no namespace: "ml"',
    ]);
  });
});

describe('kind and version', () => {
  test.each([
    ['another kind', { ...object(Dataset, {}), kind: 'Datasets' }, 'kind: Dataset: "Datasets"'],
    ['another version', { ...object(Dataset, {}), apiVersion: 'v1' }, 'apiVersion: data.fluid.io/v1alpha1: "v1"'],
  ])('%s', (_, input, expected) => {
    expect(faultsOf(Dataset, input).map(({ path, expected: right, found }) => `${path}: ${right}: ${found}`)).toEqual([expected]);
  });

  test.each([[null], [7], ['text'], [[]]])('%j is no object at all', (input) => {
    expect(faultsOf(Dataset, input).map(({ path }) => path)).toEqual(['apiVersion', 'kind', 'metadata.name']);
  });
});

test.each([[ThinRuntime], [JuiceFSRuntime]])('the replicas of a $kind are no fewer than none', (resource) => {
  expect(faults(resource, { replicas: -1 })).toEqual(['spec.replicas: at least 0: -1']);
  expect(faults(resource, { replicas: 0 })).toEqual([]);
});

describe('a reference', () => {
  const reference = { mountPoint: 'dataset://ml/source' };
  test('stands alone', () => {
    expect(faults(Dataset, { mounts: [reference] })).toEqual([]);
    expect(faults(Dataset, { mounts: [reference, { mountPoint: 'local:///a' }] })[0]).toContain(
      'spec.mounts: a single mount, since one is dataset://',
    );
  });
});
