import alluxio from '../../runtimes/alluxio/index.ts';
import { readMaster, readMounts } from '../../runtimes/alluxio/mount-list.ts';
import { readCount, readReport } from '../../runtimes/alluxio/report.ts';
import type { AlluxioRuntimeSpec } from '../../runtimes/alluxio/spec.ts';
import cache from '../../runtimes/cache/index.ts';
import { mounts as mountList, cache as summary } from '../../runtimes/cache/protocol.ts';
import type { CacheRuntimeSpec } from '../../runtimes/cache/spec.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import { unknownOptions } from '../../runtimes/juicefs/command-options.ts';
import { externalWarnings } from '../../runtimes/juicefs/migrate-external.ts';
import { migrateWarnings } from '../../runtimes/juicefs/migrate-warnings.ts';
import type { JuiceFSRuntimeSpec } from '../../runtimes/juicefs/spec.ts';
import thin from '../../runtimes/thin/index.ts';
import * as api from '../../src/api/index.ts';
import {
  annotation,
  type DataMigrateSpec,
  type DataProcessSpec,
  Dataset,
  faultsOf,
  GROUP,
  type Mount,
  parse,
  type ThinRuntimeSpec,
  VERSION,
} from '../../src/api/index.ts';
import { type Arg, contents, env, isEnvName, sh, word } from '../../src/api/shell.ts';
import { clientNumber, platformOf } from '../../src/api/sidecars.ts';
import { referenceOf, textOf } from '../../src/api/template-text.ts';
import { withoutTrailing } from '../../src/api/trailing.ts';
import { knownField, pathText } from '../../src/api/wording.ts';
import { backupFaults } from '../../src/constructs/backup.ts';
import { canonicalClaim, canonicalPod, canonicalResources, canonicalVolume } from '../../src/constructs/canonical.ts';
import { isGoZero, ofSaidFields } from '../../src/constructs/go-zeros.ts';
import type { Runtime, RuntimeInput } from '../../src/constructs/index.ts';
import * as constructs from '../../src/constructs/index.ts';
import { PRINT_ORDER } from '../../src/constructs/index.ts';
import { storable } from '../../src/constructs/limits.ts';
import { readProbe } from '../../src/constructs/read-probe.ts';
import { byKey, overlaid, variablesByName } from '../../src/constructs/merge.ts';
import { ignored, portWarnings, variableWarnings } from '../../src/constructs/warnings.ts';
import { migrateFaults } from '../../src/constructs/migrate.ts';
import { operationWarnings } from '../../src/constructs/operation.ts';
import { blameOf, heaviest, isRunnable, mountable, weight } from '../../src/constructs/startable.ts';
import { processFaults } from '../../src/constructs/process.ts';
import * as fuse from '../../src/fuse/index.ts';
import { idOf, secretsIn } from '../../src/fuse/words.ts';
import { planInput } from '../../src/testing/given.ts';
import { given as alluxioGiven } from '../runtimes/alluxio/given.ts';
import { given as cacheGiven } from '../runtimes/cache/given.ts';
import { community, planOf } from '../runtimes/juicefs/given.ts';
import { claim, given, profileSpec } from '../runtimes/thin/given.ts';
import { ExampleRuntime } from '../support/example-runtime/spec.ts';
import { ExampleLoad, type LoadPlan } from '../support/load.ts';
import { backingUp, type Loading, madeFor, migrating } from '../support/operations.ts';
import { efcCalls } from './efc-calls.ts';
import { jindoCalls } from './jindo-calls.ts';
import { vineyardCalls } from './vineyard-calls.ts';

type Call<T> = (given: T) => unknown;

/** The arguments of an export. */
export interface Calls {
  /** Runs in a pod of the tenant's own, where no other tenant waits for it. */
  readonly alone?: true;
  /** One long text; each call is measured by itself. */
  readonly text?: Call<string> | readonly Call<string>[];
  /** So many entries. */
  readonly many?: Call<number> | readonly Call<number>[];
}

/** Everything that is made of a runtime and its Dataset, as a pass does. */
function planned(runtime: Runtime, input: RuntimeInput<unknown>): void {
  runtime.needs(input);
  const { synth, cleanup } = runtime.bind(input);
  for (const part of PRINT_ORDER) synth(part);
  cleanup?.commands('0'.repeat(36));
}

const LOADING = constructs
  .defineRuntime({
    type: 'example',
    resource: ExampleRuntime,
    plan: (input): LoadPlan => ({ ...constructs.basePlan(input, { mountType: 'm', mountDir: 'd' }), image: 'i:1' }),
    components: {},
    operations: { DataLoad: ExampleLoad },
  })
  .bind(planInput()).operations;
const loaded = (spec: constructs.LoadSpec) =>
  LOADING.DataLoad?.({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec, facts: { pods: {} } });

const process = (script: object, mountPath = '/data', subPath = 's') => ({
  dataset: { name: 'demo', mountPath, subPath },
  processor: { script: { source: 'ls', image: 'i:1', ...script } },
});
const processed = (spec: object) =>
  // The cast: what tenants write has passed the schema.
  LOADING.DataProcess?.({ kind: 'DataProcess', name: 'op', namespace: 'ml', uid: 'u', spec: spec as DataProcessSpec, facts: { pods: {} } });

const loadsOf = (runtime: Loading): Calls => ({
  text: [
    (text) => ignoringErrors(() => madeFor(runtime, { target: [{ path: `/${text}` }] })),
    (text) => ignoringErrors(() => madeFor(runtime, { options: { timeout: text } })),
    (text) => ignoringErrors(() => madeFor(runtime, { options: { [text]: text } })),
  ],
  many: (entries) => madeFor(runtime, { target: list(entries, (i) => ({ path: `/p${i}` })), options: record(entries) }),
});

const user = (name: string) => ({ uid: 7, gid: 8, user: name, group: name });
const backups: Calls = {
  text: [
    (text) => ignoringErrors(() => backingUp({ backupPath: `pvc://c/${text}` })),
    (text) => ignoringErrors(() => backingUp({ backupPath: `local:///${text}` })),
    (text) => ignoringErrors(() => backingUp({ backupPath: text, runAs: user(text) })),
  ],
};

const migrates = (from: DataMigrateSpec['from'], more: Partial<DataMigrateSpec> = {}) => {
  const spec: DataMigrateSpec = { from, to: { dataset: { name: 'demo', namespace: '' } }, ...more };
  return ignoringErrors(() => migrating(spec));
};
const other = (text: string) => ({ mounts: [{ mountPoint: `juicefs:///${text}`, name: text, encryptOptions: [option('metaurl')] }] });
const migrations: Calls = {
  text: [
    (text) => migrates({ dataset: { name: 'demo', namespace: '', path: text } }),
    (text) => migrates({ externalStorage: { uri: text } }),
    (text) => migrates({ externalStorage: { uri: `s3://b/${text}`, encryptOptions: [option(text), option('access-key')] } }),
    (text) => migrates({ externalStorage: { uri: `s3://${text}` } }),
    (text) => migrates({ externalStorage: { uri: `pvc://c/${text}` } }, { options: { [text]: text, metrics: text } }),
    (text) => migrates({ externalStorage: { uri: 's3://b/' } }, { image: text, imageTag: text, parallelOptions: { [text]: text } }),
    (text) => {
      const spec = { from: { dataset: { name: 'other', namespace: '' } }, to: { dataset: { name: 'demo', namespace: '' } } };
      return ignoringErrors(() => migrating(spec, { datasets: { other: other(text) } }));
    },
  ],
  many: (entries) =>
    migrates(
      { externalStorage: { uri: 's3://b/', encryptOptions: list(entries, (i) => option(`o${i}`)) } },
      { options: record(entries), parallelOptions: record(entries) },
    ),
};

const list = <T>(entries: number, make: (i: number) => T): T[] => Array.from({ length: entries }, (_, i) => make(i));
const record = (entries: number, value = 'v'): Record<string, string> => Object.fromEntries(list(entries, (i) => [`k${i}`, value]));
const mountsOf = (entries: number): Mount[] => list(entries, (i) => ({ mountPoint: `s3://b${i}`, name: `n${i}`, path: `/p${i}` }));
const object = (kind: string, spec: object) => ({
  apiVersion: `${GROUP}/${VERSION}`,
  kind,
  metadata: { name: 'demo', namespace: 'ml' },
  spec,
});
const variable = (i: number) => ({ name: `A${i}`, value: `$(A${i})$(A${i + 1})` });
const option = (name: string, secret = 's') => ({ name, valueFrom: { secretKeyRef: { name: secret, key: 'k' } } });

const config = (mounts: readonly object[], more: object = {}) =>
  fuse.parseFuseConfig(JSON.stringify({ mounts, targetPath: '/mnt/x', ...more }));
/** One that uses everything, once for each mount and for each option. */
const TEMPLATE = fuse.parseMountTemplate(
  JSON.stringify({
    program: 'client',
    args: [
      '-o',
      'a=${access}',
      {
        each: 'mounts',
        args: ['${mount.name:-none}=${mount.source}', { when: 'mount.options.k0', args: ['${mount.bucket}/${mount.prefix}'] }],
      },
      '--',
      '${targetPath}',
    ],
  }),
);
const EACH_MOUNT = fuse.parseMountTemplate(
  JSON.stringify({
    program: 'client',
    each: 'mounts',
    args: [{ each: 'mount.options', args: ['-o', '${option.name}=${option.value}'] }, '${mount.target}'],
    env: { KEY: '${secret.key:-none}', X: '${env.X:-none}' },
    files: { conf: '${mount.mountPoint} ${mount.options.k0:-none}' },
  }),
);
/** All that is made of config.json, each by itself. */
const made = <T>(of: (given: T) => { readonly mounts: readonly object[]; readonly more?: object }): Call<T>[] =>
  [TEMPLATE, EACH_MOUNT].flatMap((template) => {
    const clients = (given: T) => {
      const { mounts, more } = of(given);
      return fuse.clientsOf(template, config(mounts, more));
    };
    return [
      (given: T) => fuse.mountScript(clients(given), '/dir'),
      (given: T) => fuse.realigningScript(clients(given), '/dir'),
      (given: T) => fuse.viewOf(config(of(given).mounts, of(given).more), template, true),
      (given: T) =>
        clients(given)
          .slice(0, 1)
          .map((client) => [fuse.argvOf({ ...client, env: {}, files: {} }, {}, '/dir'), fuse.envFile({ ...client, files: {} }, '/dir')]),
    ];
  });
const bucket = { mountPoint: 's3://b', name: 'a' };

const thinWith = (mount: Partial<Mount>, more: Parameters<typeof given>[0] = {}) =>
  planned(thin, given({ mounts: [{ mountPoint: 's3://b', name: 'a', ...mount }], ...more }));
const inSecret = { env: { THIN_FUSE_CONFIG_STORAGE: 'secret' } };
/** As many annotations of a runtime and its Dataset as are read. */
const annotated = (texts: Readonly<Record<string, string>>) => planned(thin, given({ annotations: texts, datasetAnnotations: texts }));
const jfs = (spec: JuiceFSRuntimeSpec) => planned(juicefs, community({ spec }));
const alluxioSpec = (spec: AlluxioRuntimeSpec) => planned(alluxio, alluxioGiven({ spec }));
const cacheSpec = (spec: Partial<CacheRuntimeSpec>) => planned(cache, cacheGiven({ spec }));
const alluxioMount = (mount: Partial<Mount>) => planned(alluxio, alluxioGiven({ mounts: [{ ...bucket, ...mount }] }));
const thinSpec = (spec: ThinRuntimeSpec) => planned(thin, given({ spec }));

const JFS_MOUNTS: readonly ((text: string) => Partial<Mount>)[] = [
  (text) => ({ mountPoint: text }),
  (text) => ({ name: text }),
  (text) => ({ options: { quota: text } }),
  (text) => ({ options: { [text]: text, bucket: text } }),
  (text) => ({ encryptOptions: [option(text), option('metaurl', text)] }),
];

const numbers = 'takes numbers';
const admin = 'its text is of the cluster’s administrator: a cluster-scoped profile, or the environment of the controller';
const owned = (entries: number) => ({
  metadata: { ownerReferences: list(entries, (i) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `c${i}`, uid: `u${i}` })) },
});
const ofNames = 'its text is the name of an object or a label, which the API server holds below 254 characters';
/** All that a diagnosis asks of a runtime: its counters, and the options that users have set. */
function diagnosed(runtime: Runtime): Calls {
  const { counters, chosen, cache: setting } = runtime.diagnosis() ?? {};
  const reads = (answer: string) => {
    for (const role of ['master', 'worker', 'fuse'] as const) {
      try {
        counters?.parse(answer, { role, ports: {} });
      } catch (error) {
        if (error instanceof TypeError || error instanceof RangeError) throw error;
      }
    }
  };
  const specOf = (args: readonly string[], options: Readonly<Record<string, string>>) => ({
    spec: { fuse: { args, options, properties: options }, properties: options },
    dataset: { mounts: [{ mountPoint: 'a://b', options }], sharedOptions: options },
  });
  const asks = (args: readonly string[], options: Readonly<Record<string, string>>) => {
    const specs = specOf(args, options);
    return [chosen?.(specs), setting?.(specs)];
  };
  return {
    text: [reads, (text) => reads(`"Worker.A${text}`), (text) => reads(`juicefs_${text}`), (text) => asks([text], { [text]: text })],
    many: [
      (entries) =>
        asks(
          list(entries, (i) => `-o a${i}`),
          record(entries),
        ),
      (entries) => reads('"Worker.CapacityTotal.a":{"count":1\n'.repeat(entries)),
      (entries) => reads('juicefs_blockcache_bytes 1\n'.repeat(entries)),
    ],
  };
}
const atStart = 'is called with constants, once when a process starts';
const planOnly = 'takes a plan, which `plan` below has made of what a tenant wrote; synth of every part is measured with it';
const files = 'reads files; what it makes of them is measured in parseFuseConfig';

/** By module and export: how it is called with a tenant's text, or why none reaches it. */
export const exportsOf: Readonly<Record<string, Readonly<Record<string, Calls | string>>>> = {
  'src/api/crd.ts': { crdOf: atStart, schemaOf: atStart, structural: atStart },
  'src/api/errors.ts': {
    InvalidSpec: {
      text: (text) => new api.InvalidSpec({ path: text, expected: text, found: text }, { object: 'Dataset ml/demo' }),
      many: (entries) => new api.InvalidSpec(list(entries, (i) => ({ path: `spec.mounts[${i}]`, expected: 'x', found: 'y' }))),
    },
    describe: { text: (text) => api.describe({ path: text, expected: text, found: text }) },
    oneLine: { text: (text) => api.oneLine(text) },
    shown: { text: (text) => [api.shown(text), api.shown({ text }), api.shown([text])], many: (entries) => api.shown(mountsOf(entries)) },
  },
  'src/api/sidecars.ts': {
    platformOf: { text: (text) => platformOf({ 'acme.io/platform': text }, {}, 'acme.io/platform') },
    verifiedFieldsOf: 'a fixed number of fields, by reference',
    clientName: 'of a number',
    clientNumber: { text: (text) => [clientNumber(text), clientNumber(`fluid-fuse-0-${text}`)] },
  },
  'src/api/go-json.ts': { goFields: { many: (entries) => api.goFields(record(entries), ['labels']) } },
  'src/api/labels.ts': {
    isLabel: { text: (text) => [api.isLabel([text, text]), api.isLabel([`a/${text}`, ''])] },
    listsNamespace: { text: (text) => api.listsNamespace(text, 'a') },
    operationFinalizer: atStart,
    runtimeFinalizer: atStart,
  },
  'src/api/mount-template.ts': { parseMountTemplate: admin },
  'src/api/names.ts': Object.fromEntries(
    'cacheNodeLabel cacheSizeNodeLabel claimName datasetId exclusiveNodeValue fuseNodeLabel fuseNodeLabelOf fuseNodeRecord joinedName lastValidName rivalNames runtimePlural typedCacheNodeLabel valueFile volumeName workloadName'
      .split(' ')
      .map((name) => [name, ofNames]),
  ),
  'src/api/parse.ts': {
    asWritten: 'moves fields of an object that was parsed',
    parse: {
      text: [
        (text) =>
          parse(Dataset, object('Dataset', { mounts: [{ mountPoint: text, name: text, options: { [text]: text } }], [text]: text })),
        (text) =>
          parse(
            juicefs.resource,
            object('JuiceFSRuntime', { tieredstore: { levels: [{ mediumtype: text, quota: text, quotaList: text }] } }),
          ),
      ],
      many: [
        (entries) => parse(Dataset, object('Dataset', { mounts: mountsOf(entries), sharedOptions: record(entries), ...record(entries) })),
        (entries) => parse(Dataset, object('Dataset', { mounts: list(entries, () => 7), sharedOptions: list(entries, () => '') })),
      ],
    },
    faultsOf: {
      text: (text) => faultsOf(Dataset, object('Dataset', { [text]: text, mounts: [{ [text]: 1 }] })),
      many: (entries) => faultsOf(Dataset, object('Dataset', record(entries))),
    },
  },
  'src/api/reader.ts': { readerOf: 'is made of a schema; what it returns is measured in parse and parseFuseConfig' },
  'src/api/records.ts': {
    ...Object.fromEntries(
      'consentOf datasetIdOf fuseGenerationOf isFluids isReservedOnVolumes isWatchedPod managerOf ownerUid ownersOf pauseWish publishMethodOf storageRequestOf verifiedFuseOn'
        .split(' ')
        .map((name) => [name, 'returns what is written']),
    ),
    controllerOf: { many: (entries) => api.controllerOf(owned(entries)) },
    isOwnedBy: { many: (entries) => api.isOwnedBy(owned(entries), 'a') },
    isSharedWith: { text: (text) => api.isSharedWith({ metadata: { annotations: { [api.annotation.sharedWith]: text } } }, 'a') },
    labelledIdentity: { text: (text) => api.labelledIdentity({ namespace: 'a', name: text, uid: text }, { [api.label.datasetId]: text }) },
  },
  'src/api/redact.ts': { redactedText: 'is measured in test/api/redact.test.ts' },
  'src/api/reference.ts': {
    parseReference: { text: (text) => [api.parseReference(text), api.parseReference(`dataset://a/b/${text}`)] },
    referenceIn: { many: (entries) => api.referenceIn({ mounts: list(entries, () => ({ mountPoint: 's3://a' })) }) },
  },
  'src/api/is-record.ts': { isRecord: 'looks at the kind of a value alone' },
  'src/api/rules.ts': {
    ...Object.fromEntries(
      'nameRule operationNameRule plainNameRule replicasRule shortName shortNameRule shortNameWithReplicasRule shortNameWithWorkerRule workerSetNameRule'
        .split(' ')
        .map((name) => [name, ofNames]),
    ),
    nameRule: { text: (text) => api.nameRule.holds({ metadata: { name: text }, spec: {} }) },
    plainNameRule: { text: (text) => api.plainNameRule.holds({ metadata: { name: text }, spec: {} }) },
    oneReferenceRule: { many: (entries) => api.oneReferenceRule.holds({ metadata: { name: 'x' }, spec: { mounts: mountsOf(entries) } }) },
  },
  'src/api/schema.ts': Object.fromEntries(
    'dateTime described int32 int64 openEnum opt stringMap t'.split(' ').map((name) => [name, atStart]),
  ),
  'src/api/shell.ts': {
    contents: { text: (text) => sh`cat ${contents(`/${text}`)}` },
    env: { text: (text) => isEnvName(text) && env(text) },
    isEnvName: { text: isEnvName },
    sh: { text: (text) => sh`x ${text}`, many: (entries) => sh`x ${list<Arg>(entries, (i) => `a ${i}`)}` },
    word: { text: (text) => sh`${word('a', text)}`, many: (entries) => sh`${word(...list(Math.min(entries, 5000), () => 'a b'))}` },
  },
  'src/api/template-text.ts': {
    textOf: { text: (text) => textOf(text, 'args[0]', []) },
    referenceOf: {
      text: [(text) => referenceOf(text, 'args[0]', []), (text) => referenceOf(`mount.options.${text}:-${text}`, 'args[0]', [])],
    },
    referencesIn: admin,
  },
  'src/api/units.ts': {
    textBytes: { text: api.textBytes },
    ...Object.fromEntries('bytesLabel bytesQuantity bytesText durationText percentText'.split(' ').map((name) => [name, numbers])),
    canonicalQuantity: { text: (text) => api.canonicalQuantity(text, 'spec.x') },
    quantity: { text: (text) => api.quantity(text, 'spec.x') },
  },
  'src/api/verified-fuse.ts': {
    verifiedFuseIn: { text: (text) => [api.verifiedFuseIn(text), api.verifiedFuseIn('/'.repeat(text.length))] },
    verifiedFuseText: 'of what the API server returned',
  },
  'src/api/trailing.ts': { withoutTrailing: { text: (text) => withoutTrailing(`${text}//`, text.slice(-1)) } },
  'src/api/wording.ts': {
    expectedOf: atStart,
    knownField: { text: (text) => knownField(text, Object.keys(Dataset.spec.properties)) },
    nearest: { text: (text) => api.nearest(text, Object.keys(Dataset.spec.properties)) },
    keyPath: { text: (text) => api.keyPath('spec', text) },
    pathText: { text: (text) => pathText(['spec', text, 0]), many: (entries) => pathText(list(entries, String)) },
  },
  'src/constructs/account.ts': { account: planOnly },
  'src/constructs/base-plan.ts': {
    hashOfScript: { text: (text) => constructs.hashOfScript(text) },
    basePlan: {
      text: [
        (text) => annotated(Object.fromEntries(Object.values(annotation).map((key) => [key, text]))),
        (text) =>
          annotated({
            [annotation.metadataList]: JSON.stringify([{ selector: { kind: text }, labels: { a: text }, annotations: { [text]: '' } }]),
          }),
      ],
      many: (entries) =>
        annotated({ [annotation.metadataList]: JSON.stringify([{ selector: { kind: 'PersistentVolume' }, labels: record(entries) }]) }),
    },
    commonLabels: planOnly,
    podCommonLabels: planOnly,
    nextGeneration: 'compares two texts that were made by plans',
  },
  'src/constructs/cache-texts.ts': { cacheTexts: numbers },
  'src/constructs/go-zeros.ts': {
    isGoZero: { text: (text) => isGoZero({ a: text }), many: (entries) => isGoZero(list(entries, () => ({ a: '' }))) },
    ofSaidFields: {
      text: (text) => ofSaidFields([ignored(`spec.a[${text}]`, text)], { spec: { a: { [text]: '' } } }),
      many: (entries) => ofSaidFields([ignored('spec.a', '')], { spec: { a: list(entries, () => ({ b: '' })) } }),
    },
  },
  'src/constructs/ip-family.ts': { anyAddress: 'reads one of two words' },
  'src/constructs/canonical.ts': {
    canonicalPod: {
      text: (text) => canonicalPod({ containers: [{ name: 'a', resources: { limits: { cpu: text } } }], overhead: { cpu: text } }, 'x'),
      many: (entries) =>
        canonicalPod(
          {
            containers: list(entries, (i) => ({ name: `c${i}` })),
            hostAliases: list(entries, (i) => ({ ip: `${i}` })),
            volumes: list(entries, (i) => ({ name: `v${i}` })),
          },
          'x',
        ),
    },
    unlessEmpty: 'looks at a length',
    canonicalClaim: { text: (text) => canonicalClaim({ spec: { resources: { requests: { storage: text } } } }, 'x') },
    canonicalResources: {
      text: (text) => canonicalResources({ limits: { cpu: text }, requests: { [text]: '1' } }, 'x'),
      many: (entries) => canonicalResources({ limits: record(Math.min(entries, 2048), '1000m') }, 'x'),
    },
    canonicalVolume: { text: (text) => canonicalVolume({ name: 'a', emptyDir: { sizeLimit: text } }) },
  },
  'src/constructs/cleaning.ts': { cleaningOf: numbers },
  'src/constructs/component.ts': Object.fromEntries('Fuse Master Worker owned selectorOf'.split(' ').map((name) => [name, planOnly])),
  'src/constructs/dataset-volume.ts': { DatasetVolume: 'is for charts of users, in a process of theirs' },
  'src/constructs/dataset-mounts.ts': {
    claimNames: {
      text: (text) => constructs.claimNames({ mounts: [{ mountPoint: text }] }),
      many: (entries) => constructs.claimNames({ mounts: list(entries, (i) => ({ mountPoint: `pvc://c${i}` })) }),
    },
    claimOf: { text: constructs.claimOf },
    mountsAlike: {
      many: (entries) => [
        constructs.mountsAlike({ mounts: mountsOf(entries) }),
        constructs.mountsAlike({ mounts: list(entries, () => ({ mountPoint: 's3://b', name: 'a' })) }),
      ],
    },
    relativePath: { text: (text) => constructs.relativePath({ mountPoint: 's3://b', name: text, path: text }, 'x') },
    shownAt: { text: (text) => constructs.shownAt({ mountPoint: 's3://b', name: text, path: text }) },
  },
  'src/constructs/startable.ts': {
    isRunnable: { text: (text) => isRunnable([text, 'x'.repeat(100_000), text]), many: (entries) => isRunnable(list(entries, String)) },
    startable: 'takes a manifest, which `synth` below measures with it',
    blameOf: { many: (entries) => blameOf(given({ mounts: mountsOf(entries) })) },
    mountable: {
      many: (entries) =>
        mountable(
          list(entries, (i) => ({ path: `/p${i}`, source: 's3://b'.repeat(1000) })),
          ({ path }) => [{ in: 'master', on: 'leader', argv: ['mount', path] }],
          { namespace: 'ml', name: 'demo' },
        ),
    },
    heaviest: { text: (text) => heaviest({ [text]: [text] }), many: (entries) => heaviest(mountsOf(entries)) },
    weight: { many: (entries) => weight(mountsOf(entries)) },
  },
  'src/constructs/define-runtime.ts': { defineRuntime: 'what it returns is measured as the runtimes themselves' },
  'src/constructs/engine.ts': { engine: 'what it returns is measured as the runtimes themselves' },
  'src/constructs/disk-usage.ts': {
    diskUsage: {
      text: (text) => ignoringErrors(() => constructs.diskUsage('fuse').parse([[text]], { mountPath: '/mnt' } as constructs.BasePlan)),
    },
    usedBytes: { text: (text) => constructs.usedBytes(text, '/mnt') },
  },
  'src/constructs/read-probe.ts': {
    aimsOf: 'is for tests of runtimes',
    readProbe: {
      text: (text) => {
        const { parse } = readProbe({ mountPath: '/mnt' } as constructs.BasePlan, { subject: text });
        for (const answer of [text, `${text}\nasked\n`]) ignoringErrors(() => parse([[answer]]));
      },
    },
  },
  'src/constructs/faults.ts': {
    refusal: 'is measured with ProcessJob, and joins what InvalidSpec joins',
    must: { text: (text) => constructs.must(false, text, text, text) },
    together: 'calls what it is given',
    togetherEach: 'calls what it is given',
  },
  'src/constructs/default-image.ts': {
    imageOf: { text: (text) => constructs.imageOf({ image: text, imageTag: text }, text, 'a:b') },
    imageTable: 'calls imageOf',
    inRegistry: { text: (text) => constructs.inRegistry(text, text) },
    namesHost: 'takes the image of an installation',
    isRegistry: 'takes the registry of an installation',
  },
  'src/constructs/plain-object.ts': { PlainObject: planOnly },
  'src/constructs/limits.ts': {
    operationWithinReason: 'is measured with OperationJob',
    storable: {
      many: (entries) =>
        ignoringErrors(() =>
          storable({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: record(entries) }, 'x'.repeat(2 << 20)),
        ),
    },
    withinReason: {
      many: (entries) =>
        [given({ mounts: mountsOf(entries) }), planInput({ spec: { a: [[list(entries, String)]] } })].forEach((input) => thin.needs(input)),
    },
  },
  'src/constructs/memory.ts': {
    withMemory: { text: (text) => constructs.withMemory({ requests: { memory: text }, limits: { memory: text } }, text, 'x') },
  },
  'src/constructs/merge.ts': {
    byKey: {
      many: (entries) => [
        byKey(
          ({ a }) => a,
          list(entries, (i) => ({ a: i })),
          'equal',
        ),
        byKey(
          ({ a }) => a,
          list(entries, () => ({ a: 1 })),
          'first',
        ),
      ],
    },
    overlaid: {
      many: (entries) =>
        overlaid(
          ({ a }) => a,
          list(entries, (a) => ({ a })),
          list(entries, (a) => ({ a })),
        ),
    },
    overlaidResources: 'takes two objects apart',
    portKey: 'joins two texts',
    variablesByName: {
      many: (entries) => variablesByName([...list(entries / 2, variable), ...list(entries / 2, variable)]),
      text: (text) =>
        variablesByName([
          { name: 'A', value: text },
          { name: 'A', value: text },
        ]),
    },
    entangledVariables: 'is measured with variableWarnings',
  },
  'src/constructs/load-targets.ts': { loadTargets: 'is measured with the loads of runtimes' },
  'src/constructs/backup.ts': {
    backupFaults: { text: [(text) => backupFaults({ backupPath: text }), (text) => backupFaults({ backupPath: `local:///${text}` })] },
    backupTarget: 'is measured with the backups of runtimes',
  },
  'src/constructs/metadata-list.ts': {
    metadataLists: 'called by `basePlan`, with these texts',
    withReference: 'adds two labels and an annotation to what `basePlan` was measured with',
  },
  'src/constructs/migrate.ts': {
    parallelOf: 'is measured with the migrations of runtimes',
    needsSshKeys: 'is measured with the migrations of runtimes',
    migrateFaults: {
      text: [
        (text) =>
          migrateFaults({
            from: { dataset: { name: text, namespace: text } },
            to: { externalStorage: { uri: text } },
            parallelOptions: { sshPort: text, sshReadyTimeoutSeconds: text },
          }),
      ],
    },
  },
  'src/constructs/process.ts': {
    processFaults: {
      text: [(text) => processFaults(process({ volumeMounts: [{ name: 'v', mountPath: text }] }, text) as DataProcessSpec)],
      many: (entries) =>
        processFaults(process({ volumeMounts: list(entries, () => ({ name: 'v', mountPath: '/data' })) }) as DataProcessSpec),
    },
    ProcessJob: {
      text: [
        (text) => ignoringErrors(() => processed(process({ source: text, command: [text], image: text }))),
        (text) => ignoringErrors(() => processed(process({}, text, text))),
      ],
      many: (entries) => processed(process({ env: list(entries, (i) => ({ name: `E${i}`, value: 'v' })) })),
    },
  },
  'src/constructs/operation-names.ts': { operationNames: 'joins two texts' },
  'src/constructs/operation-pod.ts': { operationLabels: ofNames, operationPod: 'is measured with OperationJob' },
  'src/constructs/operation.ts': {
    operationWarnings: {
      text: [
        (text) => operationWarnings({ schedule: text, runAfter: { kind: 'DataLoad', name: text, affinityStrategy: { policy: text } } }),
      ],
    },
    OperationJob: {
      text: [
        (text) => loaded({ podMetadata: { labels: { [text]: text }, annotations: { [text]: text } }, nodeSelector: { [text]: text } }),
        (text) => loaded({ policy: 'Cron', schedule: text, resources: { limits: { cpu: text } } }),
        (text) => loaded({ target: [{ path: text }], options: { [text]: text } }),
      ],
      many: (entries) =>
        loaded({
          target: list(entries, (i) => ({ path: `/p${i}` })),
          options: record(entries),
          tolerations: list(entries, (i) => ({ key: `k${i}` })),
          nodeSelector: record(entries),
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: list(entries, (i) => ({ matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] })),
              },
            },
          },
        }),
    },
    ownedByOperation: 'is measured with OperationJob',
  },
  'src/constructs/option-cost.ts': {
    isSwitchedOn: { text: (text) => constructs.isSwitchedOn(text) },
    valueBelow: { text: (text) => [constructs.valueBelow(1, 'M')(text), constructs.valueBelow(1)(`1${text}`)] },
    valueIs: { text: (text) => constructs.valueIs('a')(text) },
    valueIsNone: { text: (text) => [constructs.valueIsNone(text), constructs.valueIsNone(`0.${text}`)] },
  },
  'src/constructs/options.ts': {
    absolutePath: { text: (text) => constructs.absolutePath(text, 'x') },
    cacheDirectory: { text: (text) => constructs.cacheDirectory(`/${text}`, 'x') },
    cleanPath: { text: constructs.cleanPath },
    optionList: {
      text: (text) => constructs.optionList({ [text]: text }, 'x'),
      many: (entries) => [constructs.optionList(record(entries), 'x'), constructs.optionList(record(entries, ','), 'x')],
    },
    joinedOptions: 'is measured with the plans',
    separatorsIn: 'is measured with the plans',
    positional: { text: (text) => constructs.positional(text, 'x') },
    literal: { text: constructs.literal },
  },
  'src/constructs/placement.ts': { workerAffinity: planOnly },
  'src/constructs/resource.ts': {
    flatResourceClass: 'is for charts of users, in a process of theirs',
    resourceClass: 'is for charts of users, in a process of theirs',
  },
  'src/constructs/pod.ts': {
    mergedAffinity: 'no runtime hands it two affinities of a tenant',
    podSpec: planOnly,
  },
  'src/constructs/secret-files.ts': {
    volumeLabel: { text: constructs.volumeLabel },
    base64: { text: constructs.base64 },
    fromBase64: { text: [(text) => constructs.fromBase64(constructs.base64(text)), (text) => constructs.fromBase64(text)] },
    secretDirectory: ofNames,
    secretFiles: ofNames,
  },
  'src/constructs/secret-options.ts': {
    optionSecrets: {
      many: (entries) => constructs.optionSecrets({ sharedEncryptOptions: list(entries, (i) => option(`o${i}`, `s${i}`)) }),
    },
    optionNeeds: {
      many: (entries) => constructs.optionNeeds({ sharedEncryptOptions: list(entries, (i) => option(`o${i}`, `s${i}`)) }),
    },
    secretEnv: planOnly,
    secretOptions: {
      text: (text) => constructs.secretOptions([option(text, text)], 'x'),
      many: (entries) =>
        constructs.secretOptions(
          list(entries, (i) => option(`o${i}`)),
          'x',
        ),
    },
    secretVariables: {
      text: (text) => constructs.secretVariables({ sharedEncryptOptions: [option(text)] }, new Map([['metaurl', 'METAURL']])),
      many: (entries) =>
        constructs.secretVariables({ sharedEncryptOptions: list(entries, (i) => option(`o-${i}`)) }, new Map([['metaurl', 'METAURL']])),
    },
  },
  'src/constructs/pod-base.ts': {
    fromField: 'joins two texts',
    isOnHost: 'compares with a constant',
    podBase: {
      many: (entries) => constructs.podBase({ podMetadata: { labels: record(entries) } }, { podMetadata: { labels: record(entries) } }),
    },
    volumesOf: {
      many: (entries) =>
        constructs.volumesOf(list(entries, (i) => ({ volume: { name: `v${i}` }, mount: { name: `v${i}`, mountPath: '/' } }))),
    },
  },
  'src/constructs/pod-service.ts': { podService: planOnly },
  'src/constructs/sorted.ts': {
    environment: { many: (entries) => constructs.environment(record(entries)) },
    sorted: { many: (entries) => constructs.sorted(record(entries)) },
  },
  'src/constructs/ssh-workers.ts': {
    sshAccess: 'is measured with the migrations of runtimes',
    SshWorkers: 'is measured with the migrations of runtimes',
  },
  'src/constructs/tiered-store.ts': {
    cacheByMedium: {
      text: (text) => constructs.cacheByMedium([{ mediumtype: 'SSD', path: text, quota: text }]),
      many: (entries) => constructs.cacheByMedium(list(entries, () => ({ mediumtype: 'SSD' as const, quota: '1Gi' }))),
    },
    directoriesWithinReason: 'takes numbers',
    unreadSources: { many: (entries) => constructs.unreadSources({ mediumtype: 'SSD', volumeSource: record(entries) }, 'x') },
    directoriesOf: { text: (text) => [constructs.directoriesOf(text, ',', 'x'), constructs.directoriesOf(text, ':', 'x')] },
    levelQuotas: {
      text: (text) => [
        constructs.levelQuotas({ mediumtype: 'SSD', path: '/a', quotaList: text }, 'x'),
        constructs.levelQuotas({ mediumtype: 'SSD', path: text }, 'x'),
      ],
      many: (entries) =>
        constructs.levelQuotas(
          { mediumtype: 'SSD', path: list(entries, () => '/a').join(','), quotaList: list(entries, () => '1').join(',') },
          'x',
        ),
    },
  },
  'src/constructs/user-volumes.ts': {
    mountedAt: 'takes what its caller checked',
    claimTemplates: {
      many: (entries) =>
        constructs.claimTemplates(
          list(entries, (i) => ({ metadata: { name: `n${i}` } })),
          list(entries, (i) => ({ name: `n${i}`, mountPath: '/a' })),
          [],
        ),
    },
    userVolumes: {
      many: (entries) =>
        constructs.userVolumes(
          list(entries, (i) => ({ name: `n${i}`, mountPath: '/a' })),
          list(entries, (i) => ({ name: `n${entries - i - 1}` })),
          'x',
        ),
    },
  },
  'src/constructs/warnings.ts': {
    cleanPolicyWarnings: 'compares with constants',
    ignored: 'joins two texts',
    notKept: 'joins two texts',
    portWarnings: {
      many: (entries) =>
        portWarnings(
          list(entries, (i) => ({ containerPort: i % 9 })),
          'spec',
        ),
    },
    variableWarnings: {
      many: (entries) => variableWarnings(list(entries / 2, variable), list(entries / 2, variable), 'spec'),
      text: (text) => variableWarnings([{ name: 'A', value: '1' }], [{ name: 'A', value: text }], 'spec'),
    },
    unread: 'looks at fields that the caller names',
    warningsOf: { many: (entries) => constructs.warningsOf(list(entries, () => constructs.ignored('x', 'y'))) },
  },
  'src/constructs/label-warnings.ts': { labelWarnings: 'reads each label once' },
  'src/constructs/volume.ts': { DatasetClaim: planOnly, DatasetVolumeObjects: planOnly },
  'src/fuse/argv.ts': { argvOf: 'is measured with clientsOf' },
  'src/fuse/clients.ts': {
    clientsOf: {
      alone: true,
      // Each place in config.json where a text of the Dataset is.
      text: [
        ...made((text: string) => ({ mounts: [{ mountPoint: text, name: text, path: text }] })),
        ...made((text: string) => ({ mounts: [{ ...bucket, options: { k0: text, [text]: 'x', key: `/etc/fluid/secrets/s/${text}` } }] })),
        ...made((text: string) => ({
          mounts: [{ ...bucket, options: { key: text } }],
          more: { accessModes: [text], runtimeOptions: { [text]: text } },
        })),
      ],
      many: [
        ...made((entries: number) => ({ mounts: mountsOf(entries) })),
        ...made((entries: number) => ({ mounts: list(entries, () => bucket) })),
        ...made((entries: number) => ({ mounts: [{ ...bucket, options: record(entries) }] })),
      ],
    },
  },
  'src/fuse/config.ts': {
    parseFuseConfig: {
      text: fuse.parseFuseConfig,
      many: (entries) => [
        config(mountsOf(entries)),
        config(list(entries, () => ({}))),
        config([], { persistentVolumeMountOptions: record(entries) }),
      ],
    },
  },
  'src/fuse/files.ts': { readFuseConfig: files, secretText: files },
  'src/fuse/script.ts': {
    envFile: 'is measured with clientsOf',
    mountScript: 'is measured with clientsOf',
    realigningScript: 'is measured with clientsOf',
  },
  'src/fuse/supervisor.ts': { untilNews: atStart },
  'src/fuse/values.ts': { valueOf: 'is measured with clientsOf' },
  'src/fuse/view.ts': { viewOf: 'is measured with clientsOf' },
  'src/fuse/watch.ts': { tellNews: files, whenever: files },
  'src/fuse/words.ts': {
    idOf: { text: idOf },
    secretsIn: { text: (text) => secretsIn('/dir').place({ option: text, value: text }) },
    words: 'is measured with clientsOf',
  },
  ...jindoCalls(loadsOf('jindo')),
  ...efcCalls,
  ...vineyardCalls,
  'runtimes/alluxio/backup.ts': { AlluxioBackup: backups },
  'runtimes/alluxio/client.ts': { clientEnvironment: planOnly },
  'runtimes/alluxio/commands.ts': {
    forget: planOnly,
    removeCache: planOnly,
    anyMaster: 'takes what the plan has',
    master: 'takes what the plan has',
  },
  'runtimes/alluxio/components.ts': { AlluxioFuse: planOnly, AlluxioMaster: planOnly, AlluxioWorker: planOnly },
  'runtimes/alluxio/diagnosis.ts': { diagnosis: diagnosed(alluxio) },
  'runtimes/alluxio/defaults.ts': { defaultsFor: numbers },
  'runtimes/alluxio/domain-socket.ts': {
    socketOf: {
      text: [
        (text) => alluxioSpec({ properties: { 'alluxio.worker.data.server.domain.socket.address': `/${text}` } }),
        (text) => alluxioSpec({ properties: { 'alluxio.worker.data.server.domain.socket.address': `/a${'/'.repeat(text.length)}` } }),
      ],
    },
  },
  'runtimes/alluxio/environment.ts': { configMapName: planOnly, environmentHash: planOnly, environmentPlan: 'is measured with plan' },
  'runtimes/alluxio/fuse.ts': {
    clientTakesArguments: { text: (text) => alluxioSpec({ fuse: { imageTag: text } }) },
    fuseCall: {
      text: [(text) => alluxioSpec({ fuse: { args: ['fuse', text] } })],
      many: (entries) => alluxioSpec({ fuse: { args: list(entries, String) } }),
    },
    withTier: { text: (text) => alluxioSpec({ fuse: { resources: { limits: { memory: text } } } }) },
  },
  'runtimes/alluxio/hadoop.ts': {
    hadoopOf: {
      many: (entries) =>
        planned(
          alluxio,
          alluxioGiven({ spec: { hadoopConfig: 'h' }, facts: { configMaps: { h: [...list(entries, String), 'core-site.xml'] } } }),
        ),
    },
  },
  'runtimes/alluxio/images.ts': { imagesOf: { text: (text) => alluxioSpec({ alluxioVersion: { image: text, imageTag: text } }) } },
  'runtimes/alluxio/index.ts': { default: 'its needs and plan are below' },
  'runtimes/alluxio/load.ts': { AlluxioLoad: loadsOf('alluxio') },
  'runtimes/alluxio/masters.ts': { addressesOf: 'is measured with plan', mastersOf: 'is measured with plan' },
  'runtimes/alluxio/mount-list.ts': {
    list: 'is measured with mounts',
    readMaster: {
      text: (text) => [ignoringErrors(() => readMaster(text)), readMaster(JSON.stringify({ mountPoints: { [text]: { ufsUri: text } } }))],
      many: (n) => readMaster(JSON.stringify({ mountPoints: { '/': { properties: record(n) } } })),
    },
    readMounts: { text: readMounts },
  },
  'runtimes/alluxio/mount-table.ts': {
    mounts: {
      text: (text) => {
        const { mounts } = alluxio.bind(alluxioGiven());
        ignoringErrors(() => mounts?.list.parse([[text]]));
        mounts?.change({ unmount: [text], mount: mounts.wanted });
      },
    },
  },
  'runtimes/alluxio/mounts.ts': {
    mountsOf: {
      text: [
        (text) => alluxioMount({ mountPoint: text }),
        (text) => alluxioMount({ mountPoint: `s3://${text}` }),
        (text) => alluxioMount({ mountPoint: `local:///${text}` }),
        (text) => alluxioMount({ mountPoint: `pvc://a/${text}` }),
        (text) => alluxioMount({ name: text }),
        (text) => alluxioMount({ path: `/${text}` }),
        (text) => alluxioMount({ options: { [text]: text } }),
      ],
      many: [
        (entries) => alluxioMount({ options: record(entries) }),
        (entries) => alluxioMount({ encryptOptions: list(entries, (i) => option(`o${i}`)) }),
        (entries) => planned(alluxio, alluxioGiven({ mounts: mountsOf(entries) })),
        (entries) => planned(alluxio, alluxioGiven({ mounts: list(entries, (i) => ({ mountPoint: `pvc://c${i}`, name: `n${i}` })) })),
      ],
    },
    originOf: 'joins two names',
    secretFile: 'joins two names',
  },
  'runtimes/alluxio/plan.ts': {
    needs: { many: (entries) => alluxio.needs(alluxioGiven({ mounts: mountsOf(entries), spec: { properties: record(entries) } })) },
    plan: {
      text: [
        (text) => alluxioSpec({ properties: { [text]: text } }),
        (text) => alluxioSpec({ properties: { 'alluxio.master.rpc.port': text } }),
        (text) => alluxioSpec({ jvmOptions: [text] }),
        (text) => alluxioSpec({ master: { env: { [text]: text } } }),
      ],
      many: [
        (entries) => alluxioSpec({ properties: record(entries), jvmOptions: list(entries, String) }),
        (entries) => alluxioSpec({ worker: { env: record(entries), properties: record(entries) } }),
      ],
    },
  },
  'runtimes/alluxio/pod.ts': {
    fusePod: 'is measured with plan',
    masterPod: 'is measured with plan',
    volumesByRole: 'is measured with plan',
    workerPod: 'is measured with plan',
  },
  'runtimes/alluxio/ports.ts': {
    containerPorts: numbers,
    portKeys: numbers,
    portNeeds: 'is measured with needs',
    portProperties: numbers,
    portsOf: 'is measured with plan',
  },
  'runtimes/alluxio/probes.ts': {
    cache: 'is measured with readReport',
    reads: 'is measured with readProbe',
    status: numbers,
    ufs: 'is measured with readCount',
  },
  'runtimes/alluxio/properties.ts': {
    checkProperties: 'is measured with plan',
    commonProperties: 'is measured with plan',
    environmentOf: 'is measured with plan',
    isPlain: { text: (text) => alluxioMount({ path: '/', options: { [text]: text } }) },
  },
  'runtimes/alluxio/report.ts': {
    readCount: { text: (text) => ignoringErrors(() => readCount(text)) },
    readReport: { text: (text) => ignoringErrors(() => readReport(text)) },
  },
  'runtimes/alluxio/restore.ts': {
    restoreOf: {
      text: ['', 'pvc://a/', 'local:///'].map(
        (scheme) => (text) =>
          planned(alluxio, alluxioGiven({ dataset: { dataRestoreLocation: { path: scheme + text, nodeName: 'node' } } })),
      ),
    },
  },
  'runtimes/alluxio/tiers.ts': {
    tierProperties: 'is measured with tiersOf',
    tiersOf: {
      text: (['path', 'quota', 'quotaList'] as const).map(
        (field) => (text) => alluxioSpec({ tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a', quota: '1Gi', [field]: text }] } }),
      ),
      many: (entries) =>
        alluxioSpec({ tieredstore: { levels: list(entries, () => ({ mediumtype: 'SSD' as const, path: '/a', quota: '1Gi' })) } }),
    },
  },
  'runtimes/alluxio/users.ts': {
    accountOf: { text: (text) => ignoringErrors(() => alluxioSpec({ runAs: { uid: 1, gid: 1, user: text, group: text } })) },
    ownerOf: 'is measured with plan',
    userFiles: 'is measured with accountOf',
    userMounts: planOnly,
    usersName: ofNames,
  },
  'runtimes/alluxio/warnings.ts': {
    specWarnings: {
      text: (text) => alluxioMount({ path: text }),
      many: (entries) => planned(alluxio, alluxioGiven({ mounts: mountsOf(entries).map((mount) => ({ ...mount, path: 'a' })) })),
    },
  },
  'runtimes/alluxio/web.ts': {
    leader: { text: (text) => alluxio.bind(alluxioGiven({ spec: { master: { replicas: 3 } } })).leader?.parse([[text]]) },
    web: numbers,
    webAt: numbers,
    webOfLeader: 'has names of ours',
    webSetting: 'has names of ours',
  },
  'runtimes/cache/components.ts': { CacheClient: planOnly, CacheMaster: planOnly, CacheWorker: planOnly },
  'runtimes/cache/extra-resources.ts': { extraMounts: admin, extraResources: admin, withExtraNames: admin },
  'runtimes/cache/index.ts': { default: 'its needs and plan are below' },
  'runtimes/cache/entries.ts': { entriesOf: admin },
  'runtimes/cache/load.ts': { CacheLoad: 'is measured with the loads of other engines, whose targets it reads in the same way' },
  'runtimes/cache/load-plan.ts': { loadPlan: 'is measured with plan' },
  'runtimes/cache/plan.ts': {
    needs: { many: (entries) => cache.needs(cacheGiven({ mounts: mountsOf(entries) })) },
    plan: {
      text: [
        (text) => cacheSpec({ options: { [text]: text }, worker: { args: [text], env: [{ name: 'A', value: text }] } }),
        (text) => cacheSpec({ worker: { runtimeVersion: { image: text, imageTag: text } } }),
        (text) => cacheSpec({ worker: { volumeMounts: [{ name: text, mountPath: text }] } }),
        (text) => planned(cache, cacheGiven({ mounts: [{ mountPoint: text, name: text, path: text, options: { [text]: text } }] })),
      ],
      many: [
        (entries) => cacheSpec({ options: record(entries), worker: { env: list(entries, (i) => ({ name: `V${i}` })) } }),
        (entries) => planned(cache, cacheGiven({ mounts: mountsOf(entries) })),
      ],
    },
  },
  'runtimes/cache/pod.ts': {
    checkPrivileged: admin,
    filesOf: 'is measured with plan',
    imageOf: 'is measured with plan',
    podOf: 'is measured with plan',
  },
  'runtimes/cache/protocol.ts': {
    cache: {
      text: (text) => [text, JSON.stringify({ cached: text })].map((said) => ignoringErrors(() => summary.parse([[said]], {} as never))),
    },
    mounts: {
      text: (text) => ignoringErrors(() => mountList.list.parse([[], [JSON.stringify({ mounted: [text] })]], { mountUFS: {} } as never)),
    },
  },
  'runtimes/cache/runtime-config.ts': { pathsOf: 'is measured with plan', runtimeConfig: 'is measured with plan' },
  'runtimes/cache/status.ts': { configName: ofNames, statusShape: numbers },
  'runtimes/cache/tiers.ts': {
    tiersOf: {
      text: [
        (text) => cacheSpec({ worker: { replicas: 1, tieredStore: { levels: [{ emptyDir: { quota: '1Gi', medium: text } }] } } }),
        (text) => cacheSpec({ worker: { replicas: 1, tieredStore: { levels: [{ hostPath: { paths: [`/${text}`], quotas: ['1Gi'] } }] } } }),
      ],
      many: (entries) =>
        cacheSpec({
          worker: {
            replicas: 1,
            tieredStore: { levels: [{ hostPath: { paths: list(entries, (i) => `/${i}`), quotas: list(entries, () => '1Gi') } }] },
          },
        }),
    },
  },
  'runtimes/cache/topology.ts': { classOf: ofNames, partsOf: 'is measured with plan' },
  'runtimes/cache/volume-names.ts': { classVolumes: admin, secretVolume: ofNames },
  'runtimes/cache/warnings.ts': { specWarnings: 'is measured with plan' },
  'runtimes/juicefs/cache.ts': {
    cacheOf: {
      text: (['path', 'low', 'quota', 'quotaList'] as const).map(
        (field) => (text) => jfs({ tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a', quota: '1Gi', [field]: text }] } }),
      ),
      many: (entries) => jfs({ tieredstore: { levels: list(entries, () => ({ mediumtype: 'SSD' as const, path: '/a', quota: '1Gi' })) } }),
    },
    cacheVolumes: {
      text: (text) => jfs({ fuse: { options: { 'cache-dir': text } } }),
      many: (entries) => jfs({ worker: { options: { 'cache-dir': list(entries, (i) => `/a${i}`).join(':') } } }),
    },
  },
  'runtimes/juicefs/commands.ts': {
    status: numbers,
    cacheUse: {
      text: (text) => {
        const { probes } = juicefs.bind(community());
        for (const answer of [text, `juicefs_blockcache_bytes 1\n${text}`]) ignoringErrors(() => probes.cache?.parse([[answer], [text]]));
      },
    },
    size: {
      text: (text) => {
        const { probes } = juicefs.bind(community({ mount: { mountPoint: 'juicefs:///x' } }));
        ignoringErrors(() => probes.ufs?.parse([[text]]));
      },
    },
    removeCache: {
      text: (text) => {
        const { cleanup } = juicefs.bind(
          community({ spec: { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a', quota: '1Gi' }] } } }),
        );
        for (const answer of [`"UUID": "${'0'.repeat(36)}" ${text}`, `"UUID": ${text}`])
          ignoringErrors(() => cleanup?.ask?.parse([[answer]]));
      },
    },
  },
  'runtimes/juicefs/components.ts': { JuiceFSFuse: planOnly, JuiceFSWorker: planOnly },
  'runtimes/juicefs/diagnosis.ts': { diagnosis: diagnosed(juicefs) },
  'runtimes/juicefs/index.ts': { default: 'its needs and plan are below' },
  'runtimes/juicefs/options.ts': {
    forFormat: 'is measured with forMount',
    forMount: {
      many: (entries) => jfs({ fuse: { options: Object.fromEntries(list(entries, (i) => [`o${i}`, ''])) } }),
      text: (text) => jfs({ fuse: { options: { [text]: text } } }),
    },
    isForFormat: 'looks a name up',
    isOptionOf: 'looks a name up',
    settingsIn: 'is measured with forMount',
    unknownIn: 'is measured with forMount',
  },
  'runtimes/juicefs/command-options.ts': {
    commandOptions: 'is measured with loads and migrations',
    unknownOptions: {
      text: (text) => unknownOptions('sync', { [text]: text }),
      many: (entries) => unknownOptions('sync', Object.fromEntries(list(entries, (i) => [`o${i}`, '']))),
    },
  },
  'runtimes/juicefs/load.ts': { JuiceFSLoad: loadsOf('juicefs') },
  'runtimes/juicefs/migrate.ts': { JuiceFSMigrate: migrations },
  'runtimes/juicefs/migrate-ends.ts': { endsOf: 'is measured with the migrations' },
  'runtimes/juicefs/migrate-external.ts': {
    externalEnd: 'is measured with the migrations',
    externalWarnings: {
      many: (entries) =>
        externalWarnings(
          's3://b/',
          list(entries, (i) => option(`o${i}`)),
          'x',
        ),
    },
  },
  'runtimes/juicefs/migrate-warnings.ts': {
    migrateWarnings: {
      text: (text) =>
        migrateWarnings(
          {
            spec: {
              from: { externalStorage: { uri: text, encryptOptions: [option(text)] } },
              to: { externalStorage: { uri: `pvc://${text}`, encryptOptions: [option(text)] } },
              runtimeType: text,
              parallelism: 2,
              parallelOptions: { [text]: text },
            },
          },
          planOf(community()),
        ),
    },
  },
  'runtimes/juicefs/plan.ts': {
    needs: { many: (entries) => juicefs.needs(community({ mount: { encryptOptions: list(entries, (i) => option(`o${i}`, `s${i}`)) } })) },
    plan: {
      text: (text) => jfs({ configs: [text], worker: { options: { metrics: text, [text]: text } } }),
      many: (entries) => jfs({ configs: list(entries, String), fuse: { options: record(entries) } }),
    },
  },
  'runtimes/juicefs/pod.ts': {
    podPlan: { text: (text) => jfs({ fuse: { options: { metrics: text } } }) },
  },
  'runtimes/juicefs/script.ts': { scriptOf: planOnly },
  'runtimes/juicefs/store.ts': {
    seenStore: {
      many: (clients) => {
        const { probes } = juicefs.bind(community());
        const stats = list(
          clients,
          (i) => `juicefs_blockcache_bytes 1\njuicefs_object_request_errors 1\njuicefs_process_start_time_seconds ${i}\n`,
        );
        const value = probes.cache!.parse([stats, []]);
        probes.cache!.parse([stats, []], { value, ageMs: 60_000 });
      },
    },
  },
  'runtimes/juicefs/source.ts': {
    editionOf: { many: (entries) => juicefs.needs(community({ mount: { encryptOptions: list(entries, (i) => option(`o${i}`)) } })) },
    sourceOf: {
      text: JFS_MOUNTS.map((mount) => (text) => planned(juicefs, community({ mount: mount(text) }))),
      many: [
        (entries) => planned(juicefs, community({ mount: { options: record(entries) } })),
        (entries) => planned(juicefs, community({ mount: { encryptOptions: list(entries, (i) => option(`o-${i}`)) } })),
        (entries) => planned(juicefs, planInput({ mounts: mountsOf(entries) })),
      ],
    },
  },
  'runtimes/juicefs/warnings.ts': { sourceWarnings: 'is measured with sourceOf' },
  'runtimes/thin/components.ts': { ThinFuse: planOnly, ThinWorker: planOnly },
  'runtimes/thin/diagnosis.ts': { diagnosis: diagnosed(thin) },
  'runtimes/thin/config.ts': {
    configText: {
      text: [
        (text) => thinWith({ encryptOptions: [option('o')] }, { settings: inSecret, facts: { secrets: { s: { k: text } } } }),
        (text) =>
          thinWith({ encryptOptions: [option('o')] }, { settings: inSecret, facts: { secrets: { s: { k: constructs.base64(text) } } } }),
        (text) => thinWith({ mountPoint: 'pvc://c' }, { facts: { claims: { c: { ...claim(), mountOptions: [text] } } } }),
      ],
      many: (entries) => thinWith({ encryptOptions: list(entries, (i) => option(`o${i}`)) }),
    },
    secretOptionNames: 'is measured with configText',
    storageOf: admin,
  },
  'runtimes/thin/index.ts': { default: 'its needs and plan are below' },
  'runtimes/thin/mount-script.ts': { mountScript: admin },
  'runtimes/thin/plan.ts': {
    needs: { many: (entries) => thin.needs(given({ mounts: list(entries, (i) => ({ mountPoint: `pvc://c${i}` })) })) },
    plan: {
      text: [
        (text) => thinWith({ mountPoint: text }),
        (text) => thinWith({ name: text, path: text }),
        (text) => thinWith({ options: { [text]: text } }),
      ],
      many: [
        (entries) => planned(thin, given({ mounts: mountsOf(entries) })),
        (entries) =>
          planned(thin, given({ mounts: list(entries, (i) => ({ mountPoint: `pvc://c${i}` })), facts: { claims: { c0: claim() } } })),
      ],
    },
  },
  'runtimes/thin/reference.ts': {
    isReference: 'looks a mount up',
    referenceNeeds: { text: (text) => thin.needs(given({ mounts: [{ mountPoint: `dataset://a/b/${text}` }] })) },
    referencePlan: 'takes what referenceNeeds has parsed',
  },
  'runtimes/thin/profile.ts': {
    merged: { many: (entries) => thinSpec({ fuse: { env: list(entries, (i) => ({ name: `E${i}` })), options: record(entries) } }) },
    profileWarnings: 'is measured with merged and volumesOf',
    profileNamed: 'looks a name up',
    volumesOf: {
      many: (entries) =>
        thinSpec({
          volumes: list(entries, (i) => ({ name: `v${i}` })),
          fuse: { volumeMounts: list(entries, (i) => ({ name: `v${entries - 1 - i}`, mountPath: `/${i}` })) },
        }),
    },
  },
  'runtimes/thin/volumes.ts': {
    cacheVolume: { text: (text) => thinSpec({ tieredstore: { levels: [{ mediumtype: 'SSD', path: text }] } }) },
    configVolumes: planOnly,
    hostVolumes: {
      text: (text) => thinWith({ options: { 'fluid.fuse.hostvolume': text } }),
      many: (entries) =>
        planned(
          thin,
          given({
            mounts: list(entries, (i) => ({ mountPoint: `s3://b${i}`, name: `n${i}`, options: { 'fluid.fuse.hostvolume': `/d${i}` } })),
          }),
        ),
    },
    publishSecret: 'takes the profile’s policy and the names in a volume, which administrators write',
    secretCopy: 'passes contents of a Secret on',
    secretVolumes: {
      many: (entries) =>
        planned(thin, given({ profile: profileSpec, dataset: { sharedEncryptOptions: list(entries, (i) => option(`o${i}`, `s${i}`)) } })),
    },
  },
};

/** An answer that cannot be read is retried. */
function ignoringErrors(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
}
