/** CPU time of the dearest objects that a tenant can have judged, which is how long all pods wait. */
import { runtimes } from '../../runtimes/_all.gen.ts';
import { createJudge } from '../../src/cli/webhook/judge.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { silent } from '../../src/kube/types.ts';
import { createValidations } from '../../src/webhook/server/validate.ts';
import { atMost, type Bench } from '../figure.ts';
import { range } from '../lab.ts';
import { pair } from '../objects.ts';
import { rounded } from '../statistics.ts';

const ROUNDS = 9;
const TARGET_MS = 50;
const settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const metrics = { validated: () => {}, read: () => {}, configured: () => {} };
const options = (count: number, value: string) => Object.fromEntries(range(count).map((i) => [`o${i}`, value]));
const mounts = (count: number, of: object) => ({
  mounts: range(count).map((i) => ({ mountPoint: `s3://bucket/${i}`, name: `m${i}`, ...of })),
});

/** Near the limits of values and of bytes. */
const SPECS: Readonly<Record<string, object>> = {
  mounts: mounts(1_900, {}),
  options: mounts(90, { options: options(90, 'v') }),
  'one-map': mounts(1, { options: options(9_000, 'v') }),
  text: { mounts: [{ mountPoint: `s3://${'a'.repeat(1_000_000)}`, name: 'x' }] },
  texts: mounts(1, { options: options(4_000, 'v'.repeat(300)) }),
};

export const validationHostile: Bench = {
  name: 'webhook-validation-hostile',
  async *run() {
    const judge = createJudge({ runtimes, settings });
    for (const kind of ['juicefs', 'alluxio', 'jindo', 'thin'] as const) {
      const { dataset, runtime } = pair(kind, 'ml', 'demo');
      const validate = createValidations({
        judge,
        read: (asked) => (asked === runtime.kind ? async () => runtime : undefined),
        metrics,
        log: silent,
      });
      for (const [shape, spec] of Object.entries(SPECS)) {
        const text = reviewOf({ ...dataset, spec: { ...(dataset['spec'] as object), ...spec } });
        const times: number[] = [];
        for (let i = 0; i < ROUNDS; i++) {
          const before = process.cpuUsage();
          await validate(text);
          const { user, system } = process.cpuUsage(before);
          times.push((user + system) / 1000);
        }
        const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
        yield atMost(`webhook-validation-hostile-${kind}-${shape}`, rounded(median), 'ms', TARGET_MS);
      }
    }
  },
};

const reviewOf = (object: KubeObject): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', namespace: 'ml', operation: 'CREATE', object },
  });
