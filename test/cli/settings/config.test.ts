import { describe, expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { type ControllerFlags, controllerConfigOf, type Environment } from '../../../src/cli/settings/config.ts';
import { version } from '../../../src/cli/version.ts';

const config = (flags: ControllerFlags = {}, env: Environment = {}) => controllerConfigOf(flags, env, runtimes);
const refusal = (flags: ControllerFlags, env: Environment = {}) => {
  try {
    config(flags, env);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

describe('without flags and environment', () => {
  test('an installation is as Fluid’s chart makes it', () =>
    expect(config().settings).toEqual({
      mountRoot: '/runtime-mnt',
      criticalFusePod: true,
      imagePullSecrets: [],
      image: `sluice:${version()}`,
      env: {},
      portRanges: {},
    }));
  test('the controller elects in fluid-system, probes each minute and leaves no node out', () => {
    const { leaseNamespace, probeMs, portPolicy, excludeNodes } = config();
    expect({ leaseNamespace, probeMs, portPolicy }).toEqual({ leaseNamespace: 'fluid-system', probeMs: 60_000, portPolicy: 'random' });
    expect(excludeNodes({})).toBe(false);
  });
});

test.each<[string, ControllerFlags, Environment, object]>([
  ['MOUNT_ROOT', {}, { MOUNT_ROOT: '/var//lib/Fluid_mnt/' }, { settings: { mountRoot: '/var/lib/Fluid_mnt' } }],
  ['CRITICAL_FUSE_POD', {}, { CRITICAL_FUSE_POD: 'False' }, { settings: { criticalFusePod: false } }],
  ['SLUICE_IMAGE', {}, { SLUICE_IMAGE: 'example.io/sluice:1' }, { settings: { image: 'example.io/sluice:1' } }],
  ['SLUICE_REGISTRY', {}, { SLUICE_REGISTRY: 'mirror.example:5000/cache' }, { settings: { registry: 'mirror.example:5000/cache' } }],
  ['IMAGE_PULL_SECRETS', {}, { IMAGE_PULL_SECRETS: 'a, b.c ,' }, { settings: { imagePullSecrets: ['a', 'b.c'] } }],
  [
    'variables that runtimes declare, and no others',
    {},
    { JUICEFS_CE_IMAGE_ENV: 'x/jfs:1', THIN_FUSE_CONFIG_STORAGE: 'secret', KUBELET_ROOTDIR: '/var/lib/k0s//kubelet/', HOME: '/root' },
    { settings: { env: { JUICEFS_CE_IMAGE_ENV: 'x/jfs:1', THIN_FUSE_CONFIG_STORAGE: 'secret', KUBELET_ROOTDIR: '/var/lib/k0s/kubelet' } } },
  ],
  [
    '--runtime-node-port-range',
    { runtimeNodePortRange: ['juicefs=1-2', 'thin=3-3'] },
    {},
    { settings: { portRanges: { juicefs: [1, 2], thin: [3, 3] } } },
  ],
  ['--port-allocate-policy', { portAllocatePolicy: 'bitmap' }, {}, { portPolicy: 'bitmap' }],
  ['--open-references', { openReferences: true }, {}, { openReferences: true }],
  ['--namespaces', { namespaces: 'ml, dev,ml' }, {}, { namespaces: ['ml', 'dev'] }],
  ['--probe-interval', { probeInterval: '1.5m' }, {}, { probeMs: 90_000 }],
  ['--secret-interval', { secretInterval: '30m' }, {}, { secretMs: 1_800_000 }],
  ['--probe-interval 0', { probeInterval: '0' }, {}, { probeMs: 0 }],
  ['--dataset-metrics', { datasetMetrics: '500' }, {}, { datasetLimit: 500 }],
  ['--dataset-metrics 0', { datasetMetrics: '0' }, {}, { datasetLimit: 0 }],
  ['no --dataset-metrics', {}, {}, { datasetLimit: 20_000 }],
  ['--metrics-addr', { metricsAddr: '127.0.0.1:9' }, {}, { address: { host: '127.0.0.1', port: 9 } }],
  ['--metrics-addr of all addresses', { metricsAddr: ':8080' }, {}, { address: { host: '', port: 8080 } }],
  ['--metrics-addr of IPv6', { metricsAddr: '[::1]:9' }, {}, { address: { host: '::1', port: 9 } }],
  ['MY_POD_NAMESPACE', {}, { MY_POD_NAMESPACE: 'sluice' }, { leaseNamespace: 'sluice' }],
  ['a flag before the environment', { leaderElectionNamespace: 'flag' }, { MY_POD_NAMESPACE: 'env' }, { leaseNamespace: 'flag' }],
])('reads %s', (_, flags, env, expected) => expect(config(flags, env)).toMatchObject(expected));

test('knows where others elect also with --no-leader-election', () =>
  expect(config({ leaderElection: false })).toMatchObject({ elects: false, leaseNamespace: 'fluid-system' }));
test('serves nothing with --metrics-addr 0', () => expect(config({ metricsAddr: '0' })).not.toHaveProperty('address'));
test('leaves out nodes that the selector names', () => {
  const { excludeNodes } = config({}, { FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR: 'type in (virtual-kubelet),!gpu' });
  expect([excludeNodes({ type: 'virtual-kubelet' }), excludeNodes({ type: 'virtual-kubelet', gpu: '' }), excludeNodes({})]).toEqual([
    true,
    false,
    false,
  ]);
});

test.each<[string, ControllerFlags, Environment]>([
  ['MOUNT_ROOT: expected an absolute path of letters, digits, "-" and "_", such as /runtime-mnt, found "/"', {}, { MOUNT_ROOT: '/' }],
  ['MOUNT_ROOT: expected an absolute path of letters, digits, "-" and "_", such as /runtime-mnt, found "/a b"', {}, { MOUNT_ROOT: '/a b' }],
  ['CRITICAL_FUSE_POD: expected true or false, found "yes"', {}, { CRITICAL_FUSE_POD: 'yes' }],
  ['IMAGE_PULL_SECRETS: expected names of Secrets separated by commas, found "a;b"', {}, { IMAGE_PULL_SECRETS: 'a;b' }],
  [
    'SLUICE_REGISTRY: expected a registry such as registry.example or registry.example:5000/mirror, found "mirror"',
    {},
    { SLUICE_REGISTRY: 'mirror' },
  ],
  ['THIN_FUSE_CONFIG_STORAGE: expected configmap or secret, found "Secret"', {}, { THIN_FUSE_CONFIG_STORAGE: 'Secret' }],
  [
    '--runtime-node-port-range: expected <runtime>=<first>-<last> such as juicefs=14000-15999, found "14000-15999"',
    { runtimeNodePortRange: ['14000-15999'] },
    {},
  ],
  [
    '--runtime-node-port-range: expected <runtime>=<first>-<last> such as juicefs=14000-15999, found "juicefs=9-1"',
    { runtimeNodePortRange: ['juicefs=9-1'] },
    {},
  ],
  [
    `--runtime-node-port-range: expected a runtime among ${runtimes.map(({ type }) => type).join(', ')} (did you mean juicefs?), found "jucefs=1-9"`,
    { runtimeNodePortRange: ['jucefs=1-9'] },
    {},
  ],
  ['--port-allocate-policy: expected random or bitmap, found "first"', { portAllocatePolicy: 'first' }, {}],
  ['--probe-interval: expected a duration such as 60s or 5m, or 0, found "60"', { probeInterval: '60' }, {}],
  ['--dataset-metrics: expected a whole number of at most nine digits, found "1e6"', { datasetMetrics: '1e6' }, {}],
  ['--metrics-addr: expected <host>:<port> such as :8080 or 127.0.0.1:8080, or 0, found "8080"', { metricsAddr: '8080' }, {}],
  ['--leader-election-namespace: expected the name of a namespace, found "A"', { leaderElectionNamespace: 'A' }, {}],
  [
    '--namespaces: expected names of at most 20 namespaces separated by commas, such as ml,dev, found "ml,Dev"',
    { namespaces: 'ml,Dev' },
    {},
  ],
  [
    'FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR: expected a label selector such as "a=b,c in (d,e),!f", found "a b"',
    {},
    { FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR: 'a b' },
  ],
])('refuses %s', (message, flags, env) => expect(refusal(flags, env)).toBe(message));

test('names everything that is wrong at once', () =>
  expect(refusal({ probeInterval: 'x', metricsAddr: 'y' }, { MOUNT_ROOT: 'z' })?.split('\n')).toHaveLength(3));
