/** The helm chart, rendered by helm's own library, beside what `sluice install` prints with the same values. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Manifest } from '../../src/api/index.ts';
import { daemonTypes } from '../../src/cli/install/daemons.ts';
import { chartFiles, type InstallOptions, installationOf, settled } from '../../src/install/index.ts';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { resources } from '../../runtimes/_resources.gen.ts';
import { lackingReader, read } from '../health/reader.ts';
import { canRun } from '../support/can-run.ts';

const NAMESPACE = 'data-system';
const IMAGE = 'sluice:1';
const parts = { resources, runtimes };
const files = chartFiles({ ...parts, version: '1.2.3', image: IMAGE, daemons: daemonTypes(runtimes), furtherRuntimes: false });

const folder = mkdtempSync(join(tmpdir(), 'sluice-chart-'));
afterAll(() => rmSync(folder, { recursive: true }));
for (const [path, text] of files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const byHelm = (values: readonly object[]) => read(['helm', folder, NAMESPACE], values);
const byInstall = (values: InstallOptions): readonly Manifest[] =>
  installationOf(settled({ ...values, namespace: NAMESPACE }, IMAGE), parts).filter(
    ({ kind, metadata }) => kind !== 'CustomResourceDefinition' && !(kind === 'Namespace' && metadata.name === NAMESPACE),
  );

/** In one order, and without what is empty, which the API server takes for what is absent. */
function comparable(objects: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const filled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, each]) => [key, filled(each)] as const);
    return Object.fromEntries(entries.filter(([, each]) => typeof each !== 'object' || (each !== null && Object.keys(each).length > 0)));
  };
  return Object.fromEntries(objects.map((each) => [`${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`, filled(each)]));
}

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const word = fc.constantFrom('a', 'b2', 'long-name', 'x.y');
const map = fc.dictionary(fc.constantFrom('team', 'example.com/pool', 'app.kubernetes.io/name', 'kubernetes.io/os'), word, { maxKeys: 3 });
const variable = fc.record({
  name: fc.constantFrom(
    'MOUNT_ROOT',
    'MALLOC_ARENA_MAX',
    'MINE',
    'NODE_NAME',
    'EFC_SESSMGR_IMAGE_ENV',
    'EFC_SESSMGR_UPDATE_STRATEGY_ENV',
    'JUICEFS_CE_IMAGE_ENV',
  ),
  value: fc.constantFrom('registry.example/x:1', 'OnDelete:1', '$(MINE)/a:b', '{{.Values.image}}:2'),
});
const part = {
  priorityClassName: some(fc.constantFrom('', 'high')),
  resources: some(fc.constantFrom({ limits: { memory: '2Gi' } }, { requests: { cpu: 1 } }, {})),
  tolerations: some(fc.constantFrom([], [{ key: 'a', operator: 'Exists' }])),
  nodeSelector: some(map),
  env: some(fc.uniqueArray(variable, { maxLength: 3, selector: ({ name }) => name })),
  args: some(fc.array(fc.constantFrom('--probe-interval=5m', '--x="y"', '{{ 1 }}'), { maxLength: 2 })),
  affinity: some(fc.constantFrom({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } }, { nodeAffinity: {} })),
  podLabels: some(map),
  podSecurityContext: some(fc.constantFrom({ runAsUser: 7 }, { fsGroup: 1, seccompProfile: null })),
  containerSecurityContext: some(fc.constantFrom({ readOnlyRootFilesystem: false }, { capabilities: { add: ['X'] }, privileged: false })),
  podAnnotations: some(map),
};
const replicated = {
  ...part,
  replicas: some(fc.integer({ min: 1, max: 5 })),
  podDisruptionBudget: some(fc.boolean()),
  updateStrategy: some(
    fc.constantFrom({ type: 'Recreate' }, { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } }),
  ),
};
const arbitraryValues = fc.record({
  image: some(fc.constantFrom('x:1', 'team/x:1', 'localhost/x', 'a.example:5000/b/c@sha256:12')),
  imagePullPolicy: some(fc.constantFrom('Always', 'Never')),
  imagePullSecrets: some(fc.array(fc.record({ name: word }), { maxLength: 2 })),
  mountRoot: some(fc.constant('/mnt/data')),
  kubeletDir: some(fc.constant('/var/lib/k0s/kubelet')),
  podLogsDir: some(fc.constant('/mnt/logs')),
  criticalFusePods: some(fc.boolean()),
  aggregateEdit: some(fc.boolean()),
  daemons: some(fc.constantFrom([], ['efc'])),
  nodePolicy: some(fc.boolean()),
  reservedKeys: some(fc.constantFrom('audit', 'deny')),
  reservedKeysAllow: some(fc.array(fc.constantFrom('velero', 'a "b" \\ <c>', 'system:x'), { maxLength: 3 })),
  controller: some(
    fc.record({ ...replicated, openReferences: some(fc.boolean()), datasetMetrics: some(fc.integer({ min: 0, max: 100_000 })) }),
  ),
  csi: some(fc.record({ ...part, updateStrategy: some(fc.constant({ type: 'OnDelete' })) })),
  webhook: some(
    fc.record({
      ...part,
      enabled: some(fc.boolean()),
      replicas: some(fc.integer({ min: 1, max: 5 })),
      failurePolicy: some(fc.constantFrom('Fail', 'Ignore')),
      timeoutSeconds: some(fc.integer({ min: 1, max: 30 })),
      reinvocationPolicy: some(fc.constantFrom('Never', 'IfNeeded')),
      platformLabel: some(fc.constant('example.com/platform')),
      validation: some(fc.boolean()),
    }),
  ),
  monitoring: some(
    fc.record({
      enabled: some(fc.boolean()),
      labels: some(map),
      interval: some(fc.constantFrom('15s', '2m')),
      boardNamespace: some(fc.constant('grafana')),
      boardLabels: some(map),
      scrapers: some(
        fc.constantFrom(
          [],
          [{ namespaceSelector: { matchLabels: { a: 'b' } }, podSelector: {} }],
          [{ ipBlock: { cidr: '10.0.0.0/8' } }, {}],
        ),
      ),
    }),
  ),
}) as unknown as fc.Arbitrary<InstallOptions>;
/** YAML has no undefined. */
const plain = (values: InstallOptions): InstallOptions => JSON.parse(JSON.stringify(values)) as InstallOptions;

describe.skipIf(!canRun('the helm chart', lackingReader()))('the helm chart', () => {
  test('creates what sluice install prints with the same values', () => {
    const samples = [{}, ...fc.sample(arbitraryValues, { numRuns: 100, seed: 1 })].map((values) => plain(values as InstallOptions));
    const rendered = byHelm(samples);
    for (const [i, values] of samples.entries()) {
      const { status, message } = rendered[i] ?? { status: 'error', message: 'no line' };
      expect({ status, values, message: status === 'error' ? message : '' }).toEqual({ status: 'objects', values, message: '' });
      expect({ values, objects: comparable(JSON.parse(message) as Manifest[]) }).toEqual({
        values,
        objects: comparable(byInstall(values)),
      });
    }
    // Helm renders 100 times what is installed: half a minute on two cores.
  }, 300_000);

  test.each([
    ['an unknown value', { contoller: {} }, 'contoller'],
    ['an unknown value of a part', { csi: { node: {} } }, 'node'],
    ['a wrong type', { controller: { replicas: 'two' } }, '/controller/replicas'],
    ['a wrong choice', { reservedKeys: 'allow' }, 'reservedKeys'],
    ['a namespace beside that of the release', { namespace: 'other' }, 'namespace'],
    ['null for what it needs', { webhook: { timeoutSeconds: null } }, 'timeoutSeconds'],
    ['null for a part', { csi: null }, 'csi'],
    ['an interval that is none', { monitoring: { interval: '15 s' } }, 'interval'],
    ['a path with a quote', { mountRoot: '/a"b' }, 'mountRoot'],
  ])('refuses %s', (_, values, path) => {
    const [answer] = byHelm([values]);
    expect(answer).toMatchObject({ status: 'error', message: expect.stringContaining(path) });
  });

  test('takes null for a default that is not wanted, as install does', () => {
    const values = { controller: { resources: { limits: null } }, csi: { tolerations: null, affinity: null } } as unknown as InstallOptions;
    const [answer] = byHelm([values]);
    expect(answer?.status).toBe('objects');
    expect(comparable(JSON.parse(answer?.message ?? '') as Manifest[])).toEqual(comparable(byInstall(values)));
  });
});

test('the chart has the CRDs of install in the folder that helm creates them from, and deletes nothing of', () => {
  const crds = [...files].filter(([path]) => path.startsWith('crds/'));
  const printed = installationOf(settled({}, IMAGE), parts).filter(({ kind }) => kind === 'CustomResourceDefinition');
  expect(crds.map(([, text]) => text).toSorted()).toEqual(printed.map((crd) => stringify(crd, { lineWidth: 0 })).toSorted());
});
