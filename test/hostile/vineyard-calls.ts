import vineyard from '../../runtimes/vineyard/index.ts';
import type { VineyardRuntimeSpec } from '../../runtimes/vineyard/spec.ts';
import { PRINT_ORDER, type RuntimeInput } from '../../src/constructs/index.ts';
import { given, memory, podNetwork } from '../runtimes/vineyard/given.ts';
import type { Calls } from './calls.ts';

function planned(input: RuntimeInput<VineyardRuntimeSpec>): void {
  vineyard.needs(input);
  const { synth, cleanup } = vineyard.bind(input);
  for (const part of PRINT_ORDER) synth(part);
  cleanup?.commands(undefined);
}
const spec = (said: VineyardRuntimeSpec) => planned(given({ spec: said }));
const list = <T>(entries: number, make: (i: number) => T): T[] => Array.from({ length: entries }, (_, i) => make(i));
const record = (entries: number): Record<string, string> => Object.fromEntries(list(entries, (i) => [`k${i}`, 'v']));
const [level] = memory.levels;

const planOnly = 'takes a plan, which `plan` below has made of what a tenant wrote; synth of every part is measured with it';
const withPlan = 'is measured with plan';
const numbers = 'takes numbers and constants';

/** Calls of runtimes/vineyard. */
export const vineyardCalls: Readonly<Record<string, Readonly<Record<string, Calls | string>>>> = {
  'runtimes/vineyard/commands.ts': { removeSpill: planOnly, status: planOnly },
  'runtimes/vineyard/components.ts': { VineyardFuse: planOnly, VineyardMaster: planOnly, VineyardWorker: planOnly },
  'runtimes/vineyard/etcd.ts': {
    externalOf: {
      text: [(text) => spec({ master: { endpoint: { uri: text } } }), (text) => spec({ master: { endpoint: { uri: `http://${text}` } } })],
      many: (entries) => spec({ master: { endpoint: { uri: list(entries, (i) => `http://e${i}:1`).join() } } }),
    },
    mastersOf: numbers,
    ownMasters: numbers,
  },
  'runtimes/vineyard/fuse-pod.ts': {
    fusePod: {
      text: (text) => spec({ fuse: { options: { size: text }, env: { A: text } } }),
      many: (entries) => spec({ fuse: { options: record(entries), env: record(entries) } }),
    },
  },
  'runtimes/vineyard/index.ts': { default: 'its needs and plan are below' },
  'runtimes/vineyard/levels.ts': {
    indexOf: { many: (entries) => spec({ tieredstore: { levels: list(entries, () => level!) } }) },
    isLess: { text: (text) => spec({ worker: { resources: { limits: { memory: text } } } }) },
    levelsOf: {
      text: [
        (text) => spec({ tieredstore: { levels: [level!, { mediumtype: 'SSD', path: text, high: text }] } }),
        (text) => spec({ tieredstore: { levels: [level!, { mediumtype: 'SSD', path: `/a${text}` }] } }),
        (text) => spec({ tieredstore: { levels: [{ mediumtype: 'MEM', quotaList: text }] } }),
      ],
    },
    memoryOf: numbers,
  },
  'runtimes/vineyard/master-pod.ts': {
    keepsData: {
      many: (entries) =>
        spec({
          volumes: list(entries, (i) => ({ name: `v${i}`, emptyDir: {} })),
          master: { replicas: 3, volumeMounts: list(entries, (i) => ({ name: `v${i}`, mountPath: `/v${i}` })) },
        }),
    },
    masterPod: {
      text: (text) =>
        spec({
          volumes: [{ name: 'v', emptyDir: {} }],
          master: {
            env: { A: text },
            volumeMounts: [
              { name: 'v', mountPath: `/v${text}` },
              { name: 'v', mountPath: `/etcd-data${'/'.repeat(text.length)}` },
            ],
          },
        }),
      many: (entries) => spec({ master: { env: record(entries) } }),
    },
  },
  'runtimes/vineyard/options.ts': {
    fuseVariables: { text: (text) => spec({ fuse: { options: { [text]: text } } }) },
    workerOptions: {
      text: [
        (text) => spec({ worker: { options: { 'wait.etcd.timeout': text } } }),
        (text) => spec({ worker: { options: { 'etcd.prefix': text } } }),
      ],
    },
  },
  'runtimes/vineyard/plan.ts': {
    needs: { many: (entries) => vineyard.needs(given({ spec: { master: { options: record(entries) } } })) },
    plan: {
      text: (text) => planned(given({ annotations: { 'data.fluid.io/metadataList': text } })),
      many: (entries) => planned(given({ spec: { podMetadata: { labels: record(entries) } } })),
    },
    rpcConfOf: 'joins two names',
  },
  'runtimes/vineyard/pod.ts': {
    imageFor: { text: (text) => spec({ worker: { image: text, imageTag: text } }) },
    plain: withPlan,
    users: {
      many: (entries) =>
        spec({
          volumes: list(entries, (i) => ({ name: `v${i}`, emptyDir: {} })),
          worker: { volumeMounts: list(entries, (i) => ({ name: `v${i}`, mountPath: `/v${i}` })) },
        }),
    },
  },
  'runtimes/vineyard/ports.ts': {
    containerPort: numbers,
    portNamesOf: numbers,
    portNeeds: numbers,
    portsOf: { many: (entries) => spec({ worker: { ...podNetwork, ports: Object.fromEntries(list(entries, (i) => [`p${i}`, i])) } }) },
  },
  'runtimes/vineyard/warnings.ts': {
    specWarnings: { many: (entries) => spec({ worker: { options: record(entries) }, master: { options: record(entries) } }) },
  },
  'runtimes/vineyard/worker-pod.ts': {
    raisedTo: withPlan,
    workerPod: { text: (text) => spec({ worker: { env: { A: text } } }), many: (entries) => spec({ worker: { env: record(entries) } }) },
  },
};
