/** The values of Fluid's chart as values of Sluice. chart-keys.json has the keys of its charts, and the defaults of three. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { faultsOfValues } from '../../../src/cli/install/wanted.ts';
import { carryOver, isKnown, type ValuesInput } from '../../../src/takeover/plan/carry-over.ts';
import { leftRows } from '../../../src/takeover/plan/chart-left.ts';
import { chartRows } from '../../../src/takeover/plan/chart-values.ts';
import { liveSettings, noSettings } from '../../../src/takeover/plan/live-settings.ts';
import { hasPattern, withValue } from '../../../src/takeover/plan/paths.ts';
import { oursOf } from '../../docs/chart-table.ts';
import { deployment } from '../fluid/given.ts';

const { keys, defaults } = JSON.parse(readFileSync(join(import.meta.dirname, 'chart-keys.json'), 'utf8')) as {
  readonly keys: Readonly<Record<string, string>>;
  readonly defaults: Readonly<Record<'1.0.0' | '1.0.4' | 'a826600', Readonly<Record<string, unknown>>>>;
};
type Tree = Readonly<Record<string, unknown>>;

const treeOf = (values: Tree): Tree => Object.entries(values).reduce<Tree>((tree, [path, value]) => withValue(tree, path, value), {});
const variables = new Set(['USE_DEFAULT_MEM_LIMIT']);
const plan = (given: Tree, more: Partial<ValuesInput> = {}) => carryOver({ given: treeOf(given), live: noSettings, variables, ...more });
const valuesOf = (given: Tree) => plan(given).values;

describe('the table', () => {
  test.each(Object.entries(keys))('has the value %s of the charts %s: its place, or why it has none', (path) => {
    expect(isKnown(path)).toBe(true);
    const places = chartRows.filter(({ paths }) => paths.some((pattern) => hasPattern(path, pattern)));
    expect(places.length).toBeLessThan(2);
  });
  test('has no row that no chart has a value for', () => {
    const hidden = /^(webhook\.serverlessInject\.|nameOverride|fullnameOverride|serviceAccount)/;
    const unused = [...chartRows, ...leftRows]
      .flatMap(({ paths }) => paths)
      .filter((pattern) => !hidden.test(pattern) && !Object.keys(keys).some((path) => hasPattern(path, pattern)));
    // One text in old charts, three in newer ones; the parts of an image that came later have no such text, and others no pull policy.
    expect(unused.filter((pattern) => !/\.image(PullPolicy)?$|\.imageName$/.test(pattern))).toEqual([]);
  });
  test.each(chartRows.map((row) => [row.chart, row] as const))("has Sluice's own default for %s", (_, row) => {
    expect(oursOf(row)).toBe(row.ours ?? row.fluid);
  });
});

test('the defaults of the chart leave the defaults of Sluice', () => {
  expect(plan(defaults.a826600)).toMatchObject({ values: {}, carried: [], unknown: [], undecided: [] });
});

test('images of an older chart stay, whether it names them in one text or in three', () => {
  const pinned = { name: 'JUICEFS_CE_IMAGE_ENV', value: 'juicedata/mount:ce-v1.2.0' };
  expect(valuesOf(defaults['1.0.4'])).toMatchObject({ controller: { env: expect.arrayContaining([pinned]) as unknown } });
  const older = { name: 'JUICEFS_CE_IMAGE_ENV', value: 'juicedata/juicefs-fuse:ce-v1.1.0-rc1' };
  expect(valuesOf(defaults['1.0.0'])).toMatchObject({ controller: { env: expect.arrayContaining([older]) as unknown } });
});

const env = (part: string, name: string, value: string) => ({ [part]: { env: [{ name, value }] } });
const args = (...all: readonly string[]) => ({ controller: { args: all } });

test.each<[given: Tree, values: Tree]>([
  [{ namespace: 'fluid' }, { namespace: 'fluid' }],
  [{ 'image.imagePullSecrets': [{ name: 'a' }, { name: 'b' }] }, { imagePullSecrets: [{ name: 'a' }, { name: 'b' }] }],
  [{ 'runtime.mountRoot': '/mnt/fluid' }, { mountRoot: '/mnt/fluid' }],
  [{ 'csi.kubelet.rootDir': '/data/kubelet' }, { kubeletDir: '/data/kubelet' }],
  [{ 'runtime.criticalFusePod': false }, { criticalFusePods: false }],
  [{ 'runtime.alluxio.portRange': '21000-22000' }, args('--runtime-node-port-range=alluxio=21000-22000')],
  [
    { 'runtime.jindo.portRange': '18000-18999', 'runtime.vineyard.portRange': '33000-34000' },
    args('--runtime-node-port-range=jindo=18000-18999', '--runtime-node-port-range=vineyard=33000-34000'),
  ],
  [{ 'runtime.alluxio.portAllocatePolicy': 'bitmap' }, args('--port-allocate-policy=bitmap')],
  [{ 'runtime.jindo.engine': 'jindofsx' }, env('controller', 'JINDO_ENGINE_TYPE', 'jindofsx')],
  [{ 'runtime.jindo.queryUfsTotal': false }, env('controller', 'QUERY_UFS_TOTAL', 'false')],
  [
    { 'runtime.alluxio.fuse.imagePrefix': 'registry.example/alluxio' },
    env('controller', 'ALLUXIO_FUSE_IMAGE_ENV', 'registry.example/alluxio/alluxio-dev:2.9.0'),
  ],
  [{ 'runtime.thin.env': [{ name: 'USE_DEFAULT_MEM_LIMIT', value: 'true' }] }, env('controller', 'USE_DEFAULT_MEM_LIMIT', 'true')],
  [{ 'csi.nodePublishMethod': 'symlink' }, env('csi', 'NODEPUBLISH_METHOD', 'symlink')],
  [{ 'webhook.fuseSidecar.sidecarInjectionMode': 'legacy' }, env('webhook', 'FUSE_SIDECAR_INJECTION_MODE', 'legacy')],
  [{ 'webhook.serverlessInject.platformKey': 'example.com/platform' }, { webhook: { platformLabel: 'example.com/platform' } }],
  [{ 'webhook.resources': { limits: { memory: '1Gi' } } }, { webhook: { resources: { limits: { memory: '1Gi' } } } }],
  [{ 'webhook.enabled': false }, { webhook: { enabled: false } }],
  [{ 'dataset.replicas': 1, 'runtime.thin.replicas': 2 }, {}],
  [{ 'dataset.replicas': 1, 'runtime.thin.replicas': 3 }, { controller: { replicas: 3 } }],
  [
    { 'dataset.tolerations': [{ key: 'a', operator: 'Exists' }], 'runtime.thin.tolerations': [{ operator: 'Exists' }] },
    { controller: { tolerations: [{ key: 'a', operator: 'Exists' }] } },
  ],
])('%j becomes %j, which sluice install accepts', (given, values) => {
  expect(valuesOf(given)).toEqual(values);
  expect(faultsOfValues(values, runtimes)).toEqual([]);
});

test('the image of the session manager of EFC is that of its client', () => {
  const value = 'registry.example/efc-fuse:1';
  expect(valuesOf({ 'runtime.efc.fuse.image': value })).toEqual({
    controller: {
      env: [
        { name: 'EFC_FUSE_IMAGE_ENV', value },
        { name: 'EFC_SESSMGR_IMAGE_ENV', value },
      ],
    },
  });
});

test('values without a place are named with the reason, by row, and those that no chart has are named too', () => {
  const { left, unknown } = plan({
    helmDriver: 'secret',
    'dataset.kubeClientQPS': 50,
    'runtime.thin.workQueueQPS': 1,
    'runtime.goosefs.portRange': '1-2',
    'runtime.juicefs.env': [{ name: 'OF_OTHERS', value: 'x' }],
    'runtime.juicefs.imagePrefx': 'registry.example',
  });
  expect(left.map(({ paths }) => paths)).toEqual([
    ['helmDriver'],
    ['dataset.kubeClientQPS', 'runtime.thin.workQueueQPS'],
    ['runtime.goosefs.portRange'],
    ['runtime.juicefs.env[OF_OTHERS]'],
  ]);
  expect(left.every(({ because }) => because.length > 20)).toBe(true);
  expect(unknown).toEqual(['runtime.juicefs.imagePrefx']);
});

test.each<[given: Tree, says: string]>([
  [{ 'runtime.jindo.engine': 'jindofs' }, 'Sluice serves the engines jindocache and jindofsx, not "jindofs"'],
  [
    { 'runtime.alluxio.portAllocatePolicy': 'bitmap', 'runtime.jindo.portAllocatePolicy': 'random' },
    'one policy serves all kinds, and these differ: bitmap, random',
  ],
])('somebody decides about %j', (given, says) => {
  expect(plan(given).undecided.map(({ because }) => because)).toEqual([says]);
});

describe('without a file and a release', () => {
  const of = (name: string, variables: Readonly<Record<string, string>>, flags: readonly string[] = []) => {
    const object = deployment(name);
    const containers = [{ name: 'manager', args: flags, env: Object.entries(variables).map(([key, value]) => ({ name: key, value })) }];
    return {
      name,
      role: 'controller',
      replicas: 1,
      pods: [],
      object: { ...object, spec: { template: { spec: { containers } } } },
    } as const;
  };
  const seen = (...deployments: readonly ReturnType<typeof of>[]) => plan({}, { live: liveSettings({ deployments }) });

  test("the variables and flags of Fluid's controllers are carried over", () => {
    const { values, carried } = seen(
      of('thinruntime-controller', { CRITICAL_FUSE_POD: 'true', MOUNT_ROOT: '/mnt/fluid', IMAGE_PULL_SECRETS: 'a,b' }),
      of('juicefsruntime-controller', { JUICEFS_CE_IMAGE_ENV: 'registry.example/juicefs:1', USE_DEFAULT_MEM_LIMIT: 'true' }),
      of('alluxioruntime-controller', { ALLUXIO_FUSE_IMAGE_ENV: 'alluxio/alluxio-dev:2.9.0' }, ['--runtime-node-port-range=21000-22000']),
    );
    expect(values).toEqual({
      imagePullSecrets: [{ name: 'a' }, { name: 'b' }],
      mountRoot: '/mnt/fluid',
      controller: {
        args: ['--runtime-node-port-range=alluxio=21000-22000'],
        env: [
          { name: 'JUICEFS_CE_IMAGE_ENV', value: 'registry.example/juicefs:1' },
          { name: 'USE_DEFAULT_MEM_LIMIT', value: 'true' },
        ],
      },
    });
    expect(new Set(carried.map(({ from }) => from))).toEqual(new Set(['cluster']));
  });
  test('the policy of ports is that of any controller that has one, and somebody decides if they differ', () => {
    const [jindo, alluxio] = ['bitmap', 'random'].map((policy, i) =>
      of(`${['jindo', 'alluxio'][i]}runtime-controller`, { QUERY_UFS_TOTAL: 'true' }, [`--port-allocate-policy=${policy}`]),
    );
    expect(seen(jindo!).values).toEqual({ controller: { args: ['--port-allocate-policy=bitmap'] } });
    expect(seen(jindo!, alluxio!).undecided.map(({ because }) => because)).toEqual([
      'one --port-allocate-policy serves all kinds, and these differ: random, bitmap',
    ]);
  });
  test('what a controller has no variable for is what the chart means by that', () => {
    expect(seen(of('thinruntime-controller', {}), of('jindoruntime-controller', {})).values).toEqual({
      criticalFusePods: false,
      controller: { env: [{ name: 'QUERY_UFS_TOTAL', value: 'false' }] },
    });
  });
  test('a value that a user gave counts more than what is seen', () => {
    const live = liveSettings({ deployments: [of('thinruntime-controller', { CRITICAL_FUSE_POD: 'true', MOUNT_ROOT: '/mnt/old' })] });
    expect(plan({ 'runtime.mountRoot': '/mnt/new' }, { live }).values).toEqual({ mountRoot: '/mnt/new' });
  });
});
