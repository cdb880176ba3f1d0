import efc from '../../runtimes/efc/index.ts';
import type { EFCRuntimeSpec } from '../../runtimes/efc/spec.ts';
import { PRINT_ORDER, type RuntimeInput } from '../../src/constructs/index.ts';
import { given, nas } from '../runtimes/efc/given.ts';
import type { Calls } from './calls.ts';

function planned(input: RuntimeInput<EFCRuntimeSpec>): void {
  efc.needs(input);
  const { synth, cleanup } = efc.bind(input);
  for (const part of PRINT_ORDER) synth(part);
  cleanup?.commands(undefined);
}
const spec = (said: EFCRuntimeSpec) => planned(given({ spec: said }));
const at = (mountPoint: string) => planned(given({ mounts: [{ ...nas, mountPoint }] }));
const record = (entries: number): Record<string, string> => Object.fromEntries(Array.from({ length: entries }, (_, i) => [`k${i}`, 'v']));

const planOnly = 'takes a plan, which `plan` below has made of what a tenant wrote; synth of every part is measured with it';
const withPlan = 'is measured with plan';

/** Calls of runtimes/efc. */
export const efcCalls: Readonly<Record<string, Readonly<Record<string, Calls | string>>>> = {
  'runtimes/efc/commands.ts': { removeCache: planOnly, status: 'takes nothing' },
  'runtimes/efc/components.ts': { EfcFuse: planOnly, EfcMaster: planOnly, EfcWorker: planOnly },
  'runtimes/efc/endpoints.ts': {
    endpointsName: 'joins two names',
    endpointsOf: 'takes addresses of pods, which Kubernetes gives them',
    endpointsData: 'the same',
    endpointsMounted: 'joins two names',
  },
  'runtimes/efc/images.ts': {
    images: { text: (text) => spec({ master: { version: { image: text, imageTag: text } } }) },
  },
  'runtimes/efc/index.ts': { default: 'its needs and plan are below' },
  'runtimes/efc/options.ts': {
    masterOptions: withPlan,
    fuseOptions: withPlan,
    workerOptions: {
      text: [(text) => spec({ worker: { properties: { [text]: text } } }), (text) => spec({ fuse: { properties: { a: text } } })],
      many: (n) => spec({ worker: { properties: record(n) }, master: { properties: record(n) }, fuse: { properties: record(n) } }),
    },
  },
  'runtimes/efc/plan.ts': {
    needs: 'is measured with plan',
    plan: {
      many: (n) => planned(given({ mounts: Array.from({ length: n }, () => nas) })),
    },
  },
  'runtimes/efc/pods.ts': { masterPod: withPlan, fusePod: withPlan, workerPod: withPlan },
  'runtimes/efc/ports.ts': {
    containerPort: 'takes numbers',
    hasWorkers: 'compares with a constant',
    portNeeds: withPlan,
    portOf: withPlan,
  },
  'runtimes/efc/session-manager.ts': {
    sessionDirectory: 'takes what an operator wrote',
    socketMounted: 'the same',
    sessionManager: 'the same',
  },
  'runtimes/efc/source.ts': {
    sourceOf: {
      text: [
        at,
        (text) => at(`nfs://${text}`),
        (text) => at(`nfs://${text}.nas.aliyuncs.com:/`),
        (text) => at(`nfs://a.nas.aliyuncs.com:/${text}`),
        (text) => at(`cpfs://${text}.cpfs.aliyuncs.com:/share`),
      ],
    },
  },
  'runtimes/efc/spec.ts': {},
  'runtimes/efc/tier.ts': {
    tierOf: {
      text: (['path', 'quota', 'quotaList'] as const).map(
        (field) => (text) =>
          spec({
            tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a', quota: '1Gi', [field]: field === 'path' ? `/${text}` : text }] },
          }),
      ),
      many: (n) => spec({ tieredstore: { levels: Array.from({ length: n }, () => ({ mediumtype: 'SSD', path: '/a', quota: '1Gi' })) } }),
    },
    usedLevel: 'is measured with tierOf',
  },
  'runtimes/efc/warnings.ts': { specWarnings: withPlan },
};
