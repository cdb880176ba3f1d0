/**
 * The cost of the dearest pods that a tenant can send: CPU time of one admission, which is how long all others wait. And the wait of others
 * while one namespace floods the API server, whose address is that of all.
 */
import { Registry } from 'prom-client';
import { silent } from '../../src/kube/types.ts';
import type { KnownVolume } from '../../src/webhook/known.ts';
import { plugins } from '../../src/webhook/plugins/index.ts';
import { defaultProfile } from '../../src/webhook/profile/default-profile.ts';
import { parseProfile } from '../../src/webhook/profile/parse.ts';
import { createAdmissions } from '../../src/webhook/server/admit.ts';
import { SMALL } from '../../src/webhook/server/bodies.ts';
import { admissionMetrics } from '../../src/webhook/server/metrics.ts';
import { createTurns } from '../../src/webhook/server/turns.ts';
import { atMost, type Bench } from '../figure.ts';
import { range } from '../lab.ts';
import { rounded } from '../statistics.ts';

/** As many clients as a pod may have, each as large as all together allow. */
const DATASETS = 64;
const CLIENT_BYTES = 15_000;
const ROUNDS = 15;
const TARGET_MS = 50;
/** Requests that an API server admits at a time. */
const FLOOD = 200;
/** One admission under way and one of the flood's, each at most `TARGET_MS`, and that of the other pod. */
const WAIT_MS = 2 * TARGET_MS + 10;
const names = range(DATASETS).map((i) => `d${i}`);

const template = (name: string) => ({
  spec: {
    containers: [
      {
        name: 'fuse',
        image: 'x',
        command: ['a', 'x'.repeat(CLIENT_BYTES)],
        securityContext: { privileged: true },
        volumeMounts: [{ name: 'mnt', mountPath: `/runtime-mnt/thin/ml/${name}`, mountPropagation: 'Bidirectional' }],
      },
    ],
    volumes: [{ name: 'mnt', hostPath: { path: `/runtime-mnt/thin/ml/${name}` } }],
  },
});
const volumeOf = (name: string): KnownVolume => ({
  path: `/runtime-mnt/thin/ml/${name}/thin-fuse`,
  mountType: 'fuse',
  subPath: 'a',
  claim: { namespace: 'ml', name },
  fuse: { name: `${name}-fuse`, uid: name, generation: 1, hash: 'h', sidecar: { caches: [] } },
});
const claims = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
const mounts = names.map((name) => ({ name, mountPath: `/${name}` }));
const main = { name: 'main', image: 'x', volumeMounts: mounts };
const many = (length: number, of: (i: number) => object) => range(length).map(of);

const SPECS: Readonly<Record<string, object>> = {
  mounts: {
    containers: [{ ...main, volumeMounts: [...mounts, ...many(2_900, (i) => ({ name: 'e', mountPath: `/e/${i}` }))] }],
    volumes: [{ name: 'e', emptyDir: {} }, ...claims],
  },
  readers: {
    containers: many(199, (i) => ({
      name: `c${i}`,
      volumeMounts: many(15, (j) => ({ name: names[(i + j) % DATASETS], mountPath: `/${j}` })),
    })),
    volumes: claims,
  },
  names: { containers: [main], volumes: [...many(900, (i) => ({ name: i === 0 ? 'mnt-0' : `mnt-0-${i}`, emptyDir: {} })), ...claims] },
  'one-claim': {
    containers: [main],
    volumes: [...claims, ...many(900, (i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName: 'd0' } }))],
  },
  affinity: {
    containers: [main],
    volumes: claims,
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: many(9_000, (i) => ({ matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] })),
        },
      },
    },
  },
  values: { containers: [main], volumes: claims, x: many(24_000, () => ({})) },
  text: { containers: [{ ...main, env: [{ name: 'A', value: 'é"\\'.repeat(250_000) }] }], volumes: claims },
  'too-many': { containers: many(60_000, (i) => ({ name: `c${i}` })), volumes: claims },
};

export const webhookHostile: Bench = {
  name: 'webhook-hostile',
  async *run() {
    for (const label of ['serverless.fluid.io/inject', 'fuse.serverful.fluid.io/inject'])
      for (const nativeSidecars of [true, false]) {
        const admit = admissions(nativeSidecars);
        const kind = `${label.startsWith('fuse') ? 'hints' : 'sidecars'}${nativeSidecars ? '' : '-legacy'}`;
        if (kind === 'hints-legacy') continue;
        for (const [shape, spec] of Object.entries(SPECS)) {
          const pod = { metadata: { name: 'p', labels: { [label]: 'true', 'app.poststart.fluid.io/inject': 'true' } }, spec };
          const text = reviewOf(pod);
          const times: number[] = [];
          for (let i = 0; i < ROUNDS; i++) {
            const before = process.cpuUsage();
            await admit(text);
            const { user, system } = process.cpuUsage(before);
            times.push((user + system) / 1000);
          }
          const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
          yield atMost(`webhook-hostile-${kind}-${shape}`, rounded(median), 'ms', TARGET_MS);
        }
      }
    for (const shape of ['mounts', 'readers', 'text'] as const) {
      const [alone, beside] = [await waited(shape, 0), await waited(shape, FLOOD)];
      const detail = { alone: rounded(alone), ratio: rounded(beside / alone), flood: FLOOD };
      yield atMost(`webhook-hostile-neighbour-${shape}`, rounded(beside), 'ms', WAIT_MS, detail);
    }
  },
};

/** CPU ms from the request of another namespace until its answer, while so many requests of one wait at the same address. */
async function waited(shape: string, flood: number): Promise<number> {
  const admit = admissions(true);
  const turns = createTurns();
  const labels = { 'serverless.fluid.io/inject': 'true' };
  const dear = reviewOf({ metadata: { name: 'p', labels }, spec: SPECS[shape] });
  const small = reviewOf({ metadata: { name: 'p', labels }, spec: { containers: [{ name: 'main', image: 'x' }] } });
  await admit(small);
  let isOver = false;
  async function ask(namespace: string, text: string): Promise<void> {
    const turn = () => turns.take({ peer: 'api', namespace }, text.length > SMALL, () => isOver);
    if (await turn()) await admit(text, undefined, turn);
  }
  const all = range(flood).map(() => ask('flood', dear));
  // The flood is under way.
  for (let i = 0; i < 3; i++) await new Promise(setImmediate);
  const before = process.cpuUsage();
  await ask('other', small);
  const { user, system } = process.cpuUsage(before);
  isOver = true;
  await Promise.all(all);
  return (user + system) / 1000;
}

function admissions(nativeSidecars: boolean) {
  const known = {
    claim: (_: string, name: string) => ({ dataset: name }),
    dataset: (_: string, name: string) => ({
      identity: { namespace: 'ml', name, uid: name, collides: false },
      phase: 'Bound',
      runtime: { type: 'thin', namespace: 'ml', name },
    }),
    runtime: () => undefined,
    fuse: (_: string, of: string) => {
      const text = texts.get(of) ?? '';
      return { uid: of.replace(/-fuse$/, ''), generation: 1, size: text.length, template: JSON.parse(text) };
    },
    volume: (name: string) => volumeOf(name.replace(/^ml-/, '')),
  };
  const texts = new Map(names.map((name) => [`${name}-fuse`, JSON.stringify(template(name))]));
  const profile = parseProfile(defaultProfile, plugins);
  return createAdmissions({
    knowledge: { known, profile: () => profile, notReady: () => undefined, read: async () => known, stop() {} },
    settings: { disabled: false, nativeSidecars, prefetcher: { image: 'sluice', isOurs: true } },
    random: () => '0123456789ab',
    metrics: admissionMetrics(new Registry()),
    log: silent,
  });
}

const reviewOf = (object: object): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', namespace: 'ml', operation: 'CREATE', resource: { group: '', version: 'v1', resource: 'pods' }, object },
  });
