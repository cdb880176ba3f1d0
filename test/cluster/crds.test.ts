import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { resources } from '../../runtimes/_resources.gen.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import { JuiceFSRuntime } from '../../runtimes/juicefs/spec.ts';
import { crdOf } from '../../src/api/crd.ts';
import { Dataset } from '../../src/api/dataset.ts';
import { faultsOf, parse } from '../../src/api/parse.ts';
import { type CustomResource, GROUP, VERSION } from '../../src/api/resource.ts';
import { ThinRuntime, ThinRuntimeProfile } from '../../src/api/thin.ts';
import { Refusal } from '../../src/api-server/refusals.ts';
import { createSchemas, type FieldValidation, type Schemas } from '../../src/api-server/schema/index.ts';
import type { Status } from '../../src/api/k8s.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { typeOf } from '../../src/planning/kinds.ts';
import { discovery } from '../../src/api-server/wire/discovery.ts';
import { servedBuiltIns, servedBy, servedKind } from '../../src/api-server/wire/served.ts';
import { builtInKinds } from '../../src/api-server/kinds.ts';
import { type ControlPlane, startControlPlane } from '../../harness/index.ts';
import { objectOf } from '../api/arbitrary.ts';
import { gardens, plants } from '../api-server/garden.ts';
import { publish } from '../support/published.ts';
import { isDefault } from '../support/kubernetes.ts';
import { established } from '../support/sluice.ts';
import { community } from '../runtimes/juicefs/given.ts';
import { GOLDENS, hasGoldens } from '../upstream/cases.ts';

const root = join(import.meta.dirname, '../..');

const schemas = createSchemas(resources.map(crdOf));
const kinds = resources.map((resource) => [resource.kind, resource] as const);

// A control plane of its own, since the test replaces CRDs under the objects of all tests; without nodes it starts in a few seconds.
let cluster: ControlPlane;
beforeAll(async () => {
  cluster = await startControlPlane({ nodes: 0 });
  for (const { plural } of resources) await cluster.kubectl('create', '--validate=strict', '-f', crdFile(plural));
  await established(cluster, ...resources.map(({ plural }) => `crd/${plural}.${GROUP}`));
});
afterAll(() => cluster?.stop());

describe('the CRDs', () => {
  test('are listed with short names and categories', async () => {
    const listed = await cluster.kubectl('api-resources', '-o', 'wide', '--no-headers', `--api-group=${GROUP}`);
    for (const { kind, plural, shortNames = [], categories = [], namespaced } of resources) {
      const line = listed.split('\n').find((row) => row.startsWith(`${plural} `)) ?? '';
      expect(line.split(/\s+/)).toEqual(expect.arrayContaining([kind, `${namespaced}`, ...shortNames, ...categories]));
    }
  });

  test('can be applied from the client side, whose annotation holds the whole of them', async () => {
    for (const { plural } of resources) await cluster.kubectl('apply', '-f', crdFile(plural));
    await expect(cluster.kubectl('apply', '-f', join(root, 'crds'))).resolves.not.toContain('configured');
  });

  test.each(kinds)('explain %s', async (_, { plural, description, flat }: CustomResource) => {
    expect(words(await cluster.kubectl('explain', plural))).toContain(words(description));
    expect(await cluster.kubectl('explain', flat ? plural : `${plural}.spec`)).not.toMatch(/^ {4}<no description>/m);
  });

  test('explain fields of a status, and fields that stand beside a spec', async () => {
    expect(await cluster.kubectl('explain', 'cacheruntime.status.worker.readyReplicas')).toContain('Pods that are ready.');
    expect(await cluster.kubectl('explain', 'cacheruntimeclass.topology.master.executionEntries.mountUFS')).toContain('timeout');
  });

  test('that TypeBox prints are no CRDs without the rewriting', async () => {
    const crd = JSON.parse(JSON.stringify(crdOf({ ...Dataset, rules: [] }))) as Planted;
    crd.metadata.name = `plants.${GROUP}`;
    Object.assign(crd.spec.names, { kind: 'Plant', listKind: 'PlantList', plural: 'plants', singular: 'plant', shortNames: [] });
    const planted = (schema: unknown) => {
      Object.assign(crd.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {}, { spec: schema });
      return cluster.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldValidation=Strict', crd);
    };
    await expect(planted(Dataset.spec)).rejects.toThrow('patternProperties');
    await expect(planted({ type: 'object', properties: { a: { enum: ['x'] } } })).rejects.toThrow('type: Required value');
    await expect(planted({ type: 'object' })).resolves.toBeDefined();
  });

  test('scale the runtimes that have replicas', async () => {
    const path = await make(JuiceFSRuntime, 'scaled', { replicas: 1 });
    await cluster.kubectl('scale', 'juicefs', 'scaled', '--replicas=3');
    expect(await cluster.get(path)).toMatchObject({ spec: { replicas: 3 } });
    await cluster.kubectl(
      'patch',
      'juicefs',
      'scaled',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: runtimeStatus }),
    );
    expect(await cluster.get(`${path}/scale`)).toMatchObject({ status: { replicas: 2, selector: 'app=juicefs' } });
    expect(await cluster.kubectl('get', 'fluid', '--no-headers')).toMatch(/scaled\s+Ready\s+PartialReady\s/);
  });
});

describe('the API server in memory', () => {
  const served = [...servedBuiltIns, ...resources.flatMap((resource) => servedBy(crdOf(resource)))];

  test.each(['/api/v1', '/apis/apps/v1', '/apis/batch/v1', `/apis/${GROUP}/${VERSION}`])('lists %s as a real one does', async (path) => {
    const theirs = (await cluster.get(path)) as ResourceList;
    const ours = discovery(path, undefined, served)?.body as ResourceList;
    expect(ours.groupVersion).toBe(theirs.groupVersion);
    for (const { verbs, ...entry } of ours.resources) {
      const same = theirs.resources.find(({ name }) => name === entry.name);
      expect(same).toMatchObject(entry);
      expect(same?.verbs).toEqual(expect.arrayContaining([...verbs]));
      expect(entry.shortNames).toEqual(same?.shortNames);
      expect(entry.categories).toEqual(same?.categories);
    }
  });

  test.each(builtInKinds.map((type) => [type.kind, type] as const))('names %s as a real one does', async (_, type) => {
    const { resources: theirs } = (await cluster.get(
      type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`,
    )) as ResourceList;
    const { singular, shortNames, categories } = servedKind(type);
    const { kind, namespaced } = type;
    const named = theirs.find(({ name }) => name === type.plural);
    expect(named).toMatchObject({ kind, namespaced, singularName: singular });
    expect([shortNames, categories]).toEqual([named?.shortNames, named?.categories]);
  });

  test('is explained by kubectl as a real one is', async () => {
    await using memory = await publish(served, resources.map(crdOf));
    const explained = (...args: readonly string[]) => cluster.kubectl('explain', ...args);
    for (const args of [['dataset.spec.mounts'], ['juicefs', '--recursive'], ['cacheruntimeclass.topology.worker']])
      expect(await explained(...args, `--server=${memory.url}`)).toBe(await explained(...args));
    // Built-in kinds have shorter descriptions.
    const fields = (text: string) => text.slice(text.indexOf('FIELDS:'));
    for (const kind of isDefault ? ['sts', 'pv'] : [])
      expect(fields(await explained(kind, '--recursive', `--server=${memory.url}`))).toBe(fields(await explained(kind, '--recursive')));
  });
});

test('the API server in memory knows what no schema of ours has', async () => {
  const { group, names } = gardens.spec;
  await cluster.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', gardens);
  await established(cluster, `crd/${names.plural}.${group}`);
  const type = { group, version: 'v1', kind: names.kind, plural: names.plural, namespaced: false };
  const known = createSchemas([gardens]);
  const document = (plant: object) => ({ apiVersion: `${group}/v1`, kind: names.kind, metadata: { name: 'demo' }, spec: plant });
  const create = (plant: object, validation: string): Promise<unknown> =>
    cluster.create(`/apis/${group}/v1/gardens?dryRun=All&fieldValidation=${validation}`, document(plant));
  const [theirs, ours]: unknown[][] = [[], []];
  for (const plant of plants)
    for (const validation of ['Strict', 'Ignore'] as const) {
      const answer = await create(plant, validation).then(
        (made) => (made as KubeObject)['spec'],
        (error: Error) => causesOf(error),
      );
      theirs?.push([plant, validation, answer]);
      ours?.push([plant, validation, admitted(known, type, document(plant), { validation, specOf: (made) => made['spec'] })]);
    }
  expect(ours).toEqual(theirs);
});

describe('the API server, the one in memory and parse agree', () => {
  test.each(kinds)('on any %s', async (_, resource) => {
    await fc.assert(fc.asyncProperty(objectOf(resource, 3), agreed(resource)), { numRuns: 60 });
  });

  test.each(kinds)('on any damaged %s', async (_, resource) => {
    await fc.assert(fc.asyncProperty(objectOf(resource, 15), agreed(resource)), { numRuns: 60 });
  });

  test.each([
    [Dataset, 'a'.repeat(63), {}],
    [Dataset, 'a'.repeat(64), {}],
    [Dataset, 'a.b', {}],
    [Dataset, '1a', {}],
    [Dataset, 'a', { mounts: [{ mountPoint: 'dataset://a/b' }] }],
    [Dataset, 'a', { mounts: [{ mountPoint: 'dataset://a/b' }, { mountPoint: 'local:///a' }] }],
    [Dataset, 'a', { mounts: [{ mountPoint: 'local:///a' }, { mountPoint: 'local:///b' }] }],
    [JuiceFSRuntime, 'a'.repeat(45), {}],
    [JuiceFSRuntime, 'a'.repeat(45), { replicas: 1 }],
    [JuiceFSRuntime, 'a'.repeat(46), { replicas: 0 }],
    [JuiceFSRuntime, 'a'.repeat(46), { replicas: 1 }],
    [JuiceFSRuntime, 'a'.repeat(56), {}],
    [JuiceFSRuntime, 'a'.repeat(57), {}],
    [JuiceFSRuntime, 'a', { replicas: -1 }],
    [ThinRuntime, 'a', { replicas: -1 }],
    [ThinRuntime, 'a', { replicas: 0 }],
    [ThinRuntime, 'a'.repeat(46), {}],
    [ThinRuntime, 'a'.repeat(46), { worker: { enabled: false } }],
    [ThinRuntime, 'a'.repeat(46), { worker: { enabled: true } }],
    [ThinRuntime, 'a'.repeat(45), { worker: { enabled: true } }],
    [ThinRuntimeProfile, 'a.b', { fileSystemType: 'x' }],
    [ThinRuntimeProfile, 'A', { fileSystemType: 'x' }],
  ] as const)('on rules: %# $kind', async (resource, name, spec) => {
    await agreed(resource)(object(resource, name, spec));
  });

  test.skipIf(!hasGoldens).each(inputs())("on Fluid's %s", async (_, documents) => {
    for (const document of documents) {
      const resource = resources.find(({ kind }) => kind === document['kind']);
      if (!resource) continue;
      const metadata = { ...(document['metadata'] as object), ...(resource.namespaced && { namespace: 'default' }) };
      expect(faultsOf(resource, { ...document, metadata })).toEqual([]);
      expect(await stored(resource, { ...document, metadata }, 'Strict')).toEqual(parse(resource, { ...document, metadata }).spec);
    }
  });
});

test.each([45, 56])('the manifests of a runtime with a name of %i characters and no workers are accepted', async (length) => {
  const { synth, plan, roles } = juicefs.bind(community({ name: 'a'.repeat(length), namespace: 'default' }));
  const manifests = [...roles, 'volume' as const, 'claim' as const].flatMap((part) => synth(part));
  const file = join(mkdtempSync(join(tmpdir(), 'long-')), 'manifests.yaml');
  writeFileSync(file, manifests.map((manifest) => stringify(manifest)).join('---\n'));
  expect(manifests.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['StatefulSet', 'DaemonSet', 'PersistentVolumeClaim']));
  try {
    const created = await cluster.kubectl('create', '--dry-run=server', '--validate=strict', '-f', file);
    expect(created.trim().split('\n')).toHaveLength(manifests.length);
    expect(plan.name).toHaveLength(length);
  } finally {
    rmSync(dirname(file), { recursive: true });
  }
});

describe('an object that breaks a rule of ours', () => {
  test('is refused with the words of parse', async () => {
    await expect(make(Dataset, 'a.b', {})).rejects.toThrow('metadata.name: expected at most 63 lower-case letters');
  });

  test('but was there before can be edited and deleted', async () => {
    const lax = stringify(crdOf({ ...Dataset, rules: [] }), { aliasDuplicateObjects: false }).replaceAll('minLength: 5', 'minLength: 0');
    await cluster.kubectlApply(lax);
    await expect
      .poll(() => make(Dataset, 'taken.over', { mounts: [] }).catch(String), { timeout: 100_000 })
      .not.toContain('expected at most');
    const path = await make(Dataset, 'taken.over', {}, { finalizers: ['fluid.io/keep'] });
    const short = await make(Dataset, 'short', { mounts: [{ mountPoint: 's3' }], tolerations: [] });
    await cluster.kubectl('apply', '-f', crdFile('datasets'));
    await expect.poll(() => make(Dataset, 'new.one', {}).catch(String), { timeout: 100_000 }).toContain('expected at most');
    const patch = (what: unknown, ...more: readonly string[]) =>
      cluster.kubectl('patch', 'dataset', 'taken.over', '--type=merge', '-p', JSON.stringify(what), ...more);
    await patch({ status: { phase: 'Failed', conditions: [] } }, '--subresource=status');
    await patch({ spec: { placement: 'Shared' } });
    await cluster.delete(path);
    await patch({ metadata: { finalizers: null } });
    await expect(cluster.get(path)).rejects.toThrow('404');

    // The one in memory forgives the same: what is as it was, but no entry of a list that has changed.
    const there = (await cluster.get(short)) as KubeObject;
    const edits = [{ placement: 'Shared' }, { placement: 'Nowhere' }, { mounts: [{ mountPoint: 's3' }, { mountPoint: 'local:///a' }] }];
    for (const edit of edits) {
      const edited = { ...there, spec: { ...(there['spec'] as object), ...edit } };
      const answer = await cluster
        .kubectl('patch', 'dataset', 'short', '--type=merge', '-p', JSON.stringify({ spec: edit }), '--dry-run=server', '-ojson')
        .then((text) => (JSON.parse(text) as KubeObject)['spec'], String);
      const ours = inMemory(Dataset, edited, there);
      if (typeof answer === 'string')
        for (const cause of (ours as ReturnType<typeof causes>).causes) expect(answer).toContain(cause.replace(/^\w+ /, ''));
      else expect(ours).toEqual(answer);
    }
    await cluster.delete(short);
  });
});

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly verbs: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}
interface Planted {
  metadata: { name: string };
  spec: { names: object; versions: { schema: { openAPIV3Schema: { properties: object } } }[] };
}

const counts = ['desiredMaster', 'currentMaster', 'desiredWorker', 'currentWorker', 'desiredFuse', 'currentFuse'];
const runtimeStatus = {
  ...Object.fromEntries(counts.map((name) => [`${name}NumberScheduled`, 2])),
  ...Object.fromEntries(['master', 'worker', 'fuse'].map((name) => [`${name}NumberReady`, 1])),
  masterPhase: 'Ready',
  workerPhase: 'Ready',
  fusePhase: 'PartialReady',
  valueFile: 'x',
  selector: 'app=juicefs',
};

const words = (text: string): string => text.replaceAll(/\s+/g, ' ');
const crdFile = (plural: string): string => join(root, `crds/${plural}.yaml`);

const collection = ({ plural, namespaced }: CustomResource): string =>
  `/apis/${GROUP}/${VERSION}/${namespaced ? 'namespaces/default/' : ''}${plural}`;

const object = ({ kind }: CustomResource, name: string, spec: unknown, metadata: object = {}): Record<string, unknown> => ({
  apiVersion: `${GROUP}/${VERSION}`,
  kind,
  metadata: { name, ...metadata },
  spec,
});

/** Creates it and gives its path. */
async function make(resource: CustomResource, name: string, spec: unknown, metadata?: object): Promise<string> {
  await cluster.create(collection(resource), object(resource, name, spec, metadata));
  return `${collection(resource)}/${name}`;
}

/** The spec as the API server would store it. */
async function stored(resource: CustomResource, document: unknown, validation: 'Strict' | 'Ignore'): Promise<unknown> {
  const answer = await cluster.create(`${collection(resource)}?dryRun=All&fieldValidation=${validation}`, document);
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...fields } = answer as Record<string, unknown>;
  return resource.flat ? fields : (fields['spec'] ?? {});
}

function agreed(resource: CustomResource): (document: Record<string, unknown>) => Promise<void> {
  return async (document) => {
    const faults = faultsOf(resource, document, { unknownFields: 'prune' });
    const theirs = await stored(resource, document, 'Ignore').catch((error: Error) => error);
    expect(inMemory(resource, document)).toEqual(theirs instanceof Error ? causesOf(theirs) : theirs);
    if (theirs instanceof Error) {
      expect(theirs.message).toMatch(/: 4\d\d /);
      expect({ refused: theirs.message, faults }).not.toMatchObject({ faults: [] });
    } else {
      expect(faults).toEqual([]);
      expect(theirs).toEqual(parse(resource, document).spec);
    }
  };
}

/** The answer of the API server in memory: the spec, or the causes of its refusal. */
function inMemory(resource: CustomResource, document: Record<string, unknown>, old?: KubeObject): unknown {
  const specOf = ({ apiVersion: _version, kind: _kind, metadata: _metadata, ...fields }: KubeObject) =>
    resource.flat ? fields : (fields['spec'] ?? {});
  const { status: _status, ...kept } = document;
  return admitted(schemas, typeOf(resource), resource.flat ? document : kept, { validation: 'Ignore', old, specOf });
}
interface Admission {
  readonly validation: FieldValidation;
  readonly old?: KubeObject | undefined;
  specOf(made: KubeObject): unknown;
}
function admitted(known: Schemas, type: ResourceType, document: object, { validation, old, specOf }: Admission): unknown {
  try {
    const { object: made } = known.read(type, document as KubeObject, validation);
    known.validate({ type, name: made.metadata.name }, made, old);
    return specOf(made);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return causes(error.status, error.body);
  }
}
function causesOf({ message }: Error): unknown {
  const [, status = '', body = ''] = /: (4\d\d) (.*)$/s.exec(message) ?? [];
  return causes(Number(status), JSON.parse(body) as Status);
}
/** In Go's maps each run has another order. Versions of Kubernetes differ in the words, and in how often they name one fault. */
const causes = (status: number, body: Status | undefined) => ({
  status,
  message: status === 400 ? body?.message : '',
  reason: body?.reason,
  causes: (isDefault ? wordsOf(body) : placesOf(body)).toSorted(),
});
const wordsOf = (body: Status | undefined): readonly string[] =>
  (body?.details?.causes ?? []).map(({ reason, field, message }) => `${reason} ${field}: ${message}`);
/** The places of faults. Newer versions name a number that is no integer twice, the second time without its place. */
function placesOf(body: Status | undefined): readonly string[] {
  const found = (body?.details?.causes ?? []).filter(({ message = '' }) => !message.includes('Checked value must be of type'));
  return [...new Set(found.map(({ reason, field }) => `${reason} ${field}`))];
}

function inputs(): [string, Record<string, unknown>[]][] {
  if (!hasGoldens) return [];
  return ['juicefs', 'thin'].flatMap((runtime) =>
    readdirSync(join(GOLDENS, runtime)).map((name): [string, Record<string, unknown>[]] => {
      const text = readFileSync(join(GOLDENS, runtime, name, 'input.yaml'), 'utf8');
      return [`${runtime}/${name}`, parseAllDocuments(text).map((document) => document.toJS() as Record<string, unknown>)];
    }),
  );
}
