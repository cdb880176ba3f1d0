import jindo from '../../runtimes/jindo/index.ts';
import { readMounts } from '../../runtimes/jindo/mount-table.ts';
import { readCount, readReport } from '../../runtimes/jindo/probes.ts';
import type { JindoRuntimeSpec } from '../../runtimes/jindo/spec.ts';
import type { Mount } from '../../src/api/index.ts';
import { PRINT_ORDER, type RuntimeInput } from '../../src/constructs/index.ts';
import { bucket, fsx, given } from '../runtimes/jindo/given.ts';
import type { Calls } from './calls.ts';

function planned(input: RuntimeInput<JindoRuntimeSpec>): void {
  jindo.needs(input);
  const { synth, cleanup } = jindo.bind(input);
  for (const part of PRINT_ORDER) synth(part);
  cleanup?.commands(undefined);
}
const spec = (said: JindoRuntimeSpec) => planned(given({ spec: said }));
const mount = (said: Partial<Mount>) => planned(given({ mounts: [{ ...bucket, ...said }] }));
const list = <T>(entries: number, make: (i: number) => T): T[] => Array.from({ length: entries }, (_, i) => make(i));
const record = (entries: number): Record<string, string> => Object.fromEntries(list(entries, (i) => [`k${i}`, 'v']));
const option = (name: string) => ({ name, valueFrom: { secretKeyRef: { name: 's', key: 'k' } } });
const mounts = (entries: number): Mount[] => list(entries, (i) => ({ ...bucket, mountPoint: `oss://b${i}/`, name: `n${i}` }));
const endpoint = { 'fs.oss.endpoint': 'e' };

const planOnly = 'takes a plan, which `plan` below has made of what a tenant wrote; synth of every part is measured with it';
const withPlan = 'is measured with plan';

/** Calls of runtimes/jindo. */
export const jindoCalls = (loads: Calls): Readonly<Record<string, Readonly<Record<string, Calls | string>>>> => ({
  'runtimes/jindo/cache-sets.ts': {
    element: withPlan,
    setTexts: 'is measured with cacheSets',
    cacheSets: { text: (text) => mount({ options: { ...endpoint, metaPolicy: text, readCacheReplica: text } }) },
  },
  'runtimes/jindo/commands.ts': { master: 'takes what the plan has', removeCache: planOnly },
  'runtimes/jindo/components.ts': {
    clientConfigName: 'joins two names',
    JindoFuse: planOnly,
    JindoMaster: planOnly,
    JindoWorker: planOnly,
  },
  'runtimes/jindo/config.ts': { configFiles: withPlan, configuration: withPlan, filePaths: 'takes constants' },
  'runtimes/jindo/credentials.ts': {
    credentialNeeds: {
      many: (entries) => jindo.needs(given({ mounts: [{ ...bucket, encryptOptions: list(entries, (i) => option(`o${i}`)) }] })),
    },
    credentialsOf: {
      text: (text) => mount({ encryptOptions: [option(text), option('fs.oss.accessKeyId'), option('fs.oss.accessKeySecret')] }),
    },
  },
  'runtimes/jindo/engines.ts': { engineOf: { text: (text) => spec({ jindoVersion: { imageTag: text } }) } },
  'runtimes/jindo/fuse.ts': {
    fuseCall: {
      text: (text) => spec({ fuse: { args: [text, `-ometrics_port=${text}`] } }),
      many: (n) => spec({ fuse: { args: list(n, String) } }),
    },
    fusePod: { text: (text) => spec({ fuse: { metrics: { enabled: true, scrapeTarget: text } } }) },
  },
  'runtimes/jindo/hadoop.ts': {
    hadoopOf: {
      many: (n) => planned(given({ spec: { hadoopConfig: 'h' }, facts: { configMaps: { h: [...list(n, String), 'core-site.xml'] } } })),
    },
  },
  'runtimes/jindo/images.ts': {
    imagesOf: { text: (text) => spec({ jindoVersion: { image: text, imageTag: text } }) },
    isAtLeast: { text: (text) => spec({ fuse: { imageTag: text } }) },
    portCheckImage: 'reads settings of the controller',
  },
  'runtimes/jindo/index.ts': { default: 'its needs and plan are below' },
  'runtimes/jindo/legacy.ts': { legacy: 'refuses everything' },
  'runtimes/jindo/load.ts': { JindoLoad: loads },
  'runtimes/jindo/masters.ts': { addressList: 'joins names of pods', deploymentOf: 'takes numbers', mastersOf: withPlan },
  'runtimes/jindo/mount-table.ts': {
    mounts: {
      text: (text) => {
        const { mounts: table } = jindo.bind(given());
        table?.list.parse([[text]]);
        table?.change({ unmount: [text], mount: table.wanted });
      },
    },
    readMounts: { text: readMounts },
  },
  'runtimes/jindo/mounts.ts': {
    keyOptions: 'joins two constants',
    mountsOf: {
      text: [
        (text) => mount({ mountPoint: text }),
        (text) => mount({ mountPoint: `oss://${text}` }),
        (text) => mount({ mountPoint: `hdfs://${text}`, options: { [`fs.${text}`]: text } }),
        (text) => mount({ mountPoint: `local:///${text}` }),
        (text) => mount({ mountPoint: `pvc://a/${text}` }),
        (text) => mount({ name: text }),
        (text) => mount({ path: `/${text}` }),
        (text) => mount({ options: { ...endpoint, [text]: text } }),
      ],
      many: [
        (n) => mount({ options: { ...record(n), ...endpoint } }),
        (n) => planned(given({ mounts: mounts(n) })),
        (n) => planned(given({ mounts: list(n, (i) => ({ mountPoint: `pvc://c${i}`, name: `n${i}` })) })),
      ],
    },
  },
  'runtimes/jindo/plan.ts': {
    configNameOf: 'joins two names',
    needs: { many: (n) => jindo.needs(given({ mounts: mounts(n) })) },
    plan: {
      text: [(text) => spec({ master: { env: { [text]: text } } }), (text) => spec({ user: text, secret: text })],
      many: [
        (n) => spec({ worker: { env: record(n), properties: record(n) } }),
        (n) => planned(fsx({ spec: { fuse: { properties: record(n) } } })),
      ],
    },
  },
  'runtimes/jindo/server-pods.ts': { masterPod: withPlan, workerPod: withPlan },
  'runtimes/jindo/pod.ts': Object.fromEntries(
    'loadFiles podOf rdmaContext runAsUser tolerationsOf users volumesOf'.split(' ').map((name) => [name, withPlan]),
  ),
  'runtimes/jindo/ports.ts': {
    containerPort: 'takes numbers',
    hasMetrics: 'compares with a constant',
    isOnHost: 'compares with a constant',
    portNeeds: 'is measured with needs',
    portsOf: withPlan,
  },
  'runtimes/jindo/probes.ts': {
    cache: 'is measured with readReport',
    readCount: { text: (text) => quietly(() => readCount(text)) },
    readReport: { text: (text) => quietly(() => readReport(text, true)) },
    reads: 'is measured with readProbe',
    status: 'takes numbers',
    ufs: 'is measured with readCount',
  },
  'runtimes/jindo/properties.ts': {
    checkProperties: {
      text: [(text) => spec({ fuse: { properties: { [text]: text } } }), (text) => spec({ logConfig: { [text]: text } })],
      many: (n) => spec({ logConfig: record(n) }),
    },
    clientLogProperties: withPlan,
    clientProperties: withPlan,
    logProperties: withPlan,
    masterProperties: withPlan,
    workerProperties: withPlan,
  },
  'runtimes/jindo/spec.ts': {},
  'runtimes/jindo/switches.ts': {},
  'runtimes/jindo/stores.ts': { storeProperties: withPlan },
  'runtimes/jindo/tiers.ts': {
    metadataIn: 'joins a path and a constant',
    quantityText: 'takes numbers',
    tierOf: {
      text: (['path', 'quota', 'quotaList'] as const).map(
        (field) => (text) =>
          spec({
            tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a', quota: '1Gi', [field]: field === 'path' ? `/${text}` : text }] },
          }),
      ),
    },
  },
  'runtimes/jindo/warnings.ts': { specWarnings: withPlan },
});

function quietly(call: () => unknown): void {
  try {
    call();
  } catch {
    // The result of the text is tested elsewhere.
  }
}
