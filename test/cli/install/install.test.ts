import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Manifest, RESERVED_ANNOTATIONS, RESERVED_LABELS } from '../../../src/api/index.ts';
import { mountRootOf } from '../../../src/cli/settings/config-values.ts';
import { version } from '../../../src/cli/version.ts';
import { sluice } from '../run.ts';

interface Workload extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly tolerations: object;
        readonly nodeSelector: object;
        readonly imagePullSecrets?: object;
        readonly containers: readonly [
          { readonly image: string; readonly args: readonly string[]; readonly env: object; readonly resources: object },
        ];
        readonly volumes?: readonly { readonly hostPath?: { readonly path: string } }[];
      };
    };
  };
}

const WITHOUT_IMAGE = `sluice: without --image, the pods run sluice:${version()}, which no registry has: every node must have it already\n`;

async function printed(values: string, ...flags: readonly string[]): Promise<readonly Manifest[]> {
  const { code, stdout, stderr } = await sluice(['install', '--values', '-', '-o', 'json', ...flags], { input: values });
  expect({ code, stderr: stderr.replace(WITHOUT_IMAGE, '') }).toEqual({ code: 0, stderr: '' });
  const list = JSON.parse(stdout) as { readonly items: readonly Manifest[] };
  return list.items;
}
const named = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name) as Workload;
const podOf = (workload: Workload) => workload.spec.template.spec;

describe('sluice install', () => {
  test('prints what is needed first before what needs it', async () => {
    const manifests = await printed('');
    const kinds = manifests.map(({ kind }) => kind);
    const inOrder = ['Namespace', 'CustomResourceDefinition', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Deployment'];
    expect([...new Set(kinds)].filter((kind) => inOrder.includes(kind))).toEqual(inOrder);
    const at = (kind: string, name: string) => manifests.findIndex((each) => each.kind === kind && each.metadata.name === name);
    for (const [kind, name] of [
      ['Deployment', 'sluice-controller'],
      ['DaemonSet', 'sluice-csi'],
      ['Deployment', 'sluice-webhook'],
    ] as const)
      expect(at('ClusterRoleBinding', name)).toBeLessThan(at(kind, name));
    expect(kinds.indexOf('ValidatingAdmissionPolicyBinding')).toBeLessThan(kinds.indexOf('DaemonSet'));
  });

  test.each([
    ['a flag', '', ['--open-references', '--replicas', '3'], true],
    ['a value', 'controller: { openReferences: true }', [], true],
    ['nobody', 'controller: { replicas: 3 }', [], false],
  ])('opens references to every namespace if %s says so', async (_, values, flags, isOpen) => {
    const controller = named(await printed(values, ...flags), 'Deployment', 'sluice-controller');
    expect(podOf(controller).containers[0].args.includes('--open-references')).toBe(isOpen);
  });
  test('gives the controller memory for 20,000 Datasets, of which V8 takes its share', async () => {
    const [{ env, resources }] = podOf(named(await printed(''), 'Deployment', 'sluice-controller')).containers;
    expect(resources).toMatchObject({ requests: { memory: '256Mi' }, limits: { memory: '1Gi' } });
    const { NODE_OPTIONS = '' } = Object.fromEntries(
      (env as readonly { name: string; value: string }[]).map(({ name, value }) => [name, value]),
    );
    expect(NODE_OPTIONS).toContain('--max-old-space-size-percentage=50');
    // Node ends at once if it does not know one of them.
    expect(execFileSync(process.execPath, ['-p', '1'], { env: { NODE_OPTIONS }, encoding: 'utf8' })).toBe('1\n');
    expect(env).toContainEqual({ name: 'MALLOC_ARENA_MAX', value: '2' });
  });

  test.each([
    ['nobody names an image', '', WITHOUT_IMAGE],
    ['someone does', 'image: registry.example/sluice:1', ''],
    ['the registry is known', 'registry: mirror.example', ''],
  ])('warns of an image that no registry has, when %s', async (_, input, stderr) =>
    expect(await sluice(['install', '--values', '-'], { input })).toMatchObject({ code: 0, stderr }),
  );
  test.each([
    ['its default', '', `mirror.example/cache/sluice:${version()}`],
    ['an image without a host', 'image: team/sluice:2', 'mirror.example/cache/team/sluice:2'],
    ['an image with a host', 'image: other.example/sluice:2', 'other.example/sluice:2'],
  ])('takes images from the registry of the values: %s', async (_, values, own) => {
    const manifests = await printed(`registry: mirror.example/cache\n${values}`, '--daemon', 'efc');
    const [{ image, env }] = podOf(named(manifests, 'Deployment', 'sluice-controller')).containers;
    expect(image).toBe(own);
    expect(env).toContainEqual({ name: 'SLUICE_REGISTRY', value: 'mirror.example/cache' });
    expect(podOf(named(manifests, 'DaemonSet', 'efc-sessmgr')).containers[0].image).toMatch(/^mirror\.example\/cache\/nascache\/efc-fuse:/);
  });
  test('lets controller and webhook find the image of their own pods, which others may rename', async () => {
    const manifests = await printed('');
    for (const name of ['sluice-controller', 'sluice-webhook']) {
      const [{ env }] = podOf(named(manifests, 'Deployment', name)).containers;
      const own = { name: 'MY_POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } };
      expect(env).toContainEqual(own);
      expect(JSON.stringify(env)).not.toContain('sluice:');
    }
  });
  test('permits the priority classes of its pods where a cluster guards them, or takes others', async () => {
    const quota = (manifests: Awaited<ReturnType<typeof printed>>) => manifests.find(({ kind }) => kind === 'ResourceQuota');
    const plain = await printed('');
    expect(quota(plain)?.spec).toEqual({
      hard: { pods: '1M' },
      scopeSelector: {
        matchExpressions: [{ operator: 'In', scopeName: 'PriorityClass', values: ['system-node-critical', 'system-cluster-critical'] }],
      },
    });
    expect(podOf(named(plain, 'DaemonSet', 'sluice-csi'))).toMatchObject({ priorityClassName: 'system-node-critical' });
    const own = await printed(
      'controller: { priorityClassName: high }\ncsi: { priorityClassName: high }\nwebhook: { priorityClassName: "" }\ncriticalFusePods: false',
    );
    expect(podOf(named(own, 'DaemonSet', 'sluice-csi'))).toMatchObject({ priorityClassName: 'high' });
    expect(podOf(named(own, 'Deployment', 'sluice-webhook'))).not.toHaveProperty('priorityClassName');
    expect(podOf(named(own, 'Deployment', 'sluice-controller')).containers[0].env).toContainEqual({
      name: 'CRITICAL_FUSE_POD',
      value: 'false',
    });
  });
  test('gives pods labels, annotations and an affinity, and keeps what it needs itself', async () => {
    const term = { matchExpressions: [{ key: 'pool', operator: 'In', values: ['infra'] }] };
    const affinity = JSON.stringify({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } });
    const component = `{ podLabels: { team: a, app.kubernetes.io/name: mine }, podAnnotations: { scrape: "true" }, affinity: ${affinity} }`;
    const manifests = await printed(`controller: ${component}\ncsi: ${component}`);
    for (const workload of [named(manifests, 'Deployment', 'sluice-controller'), named(manifests, 'DaemonSet', 'sluice-csi')]) {
      const { metadata } = (workload.spec as unknown as { template: { metadata: { labels: object; annotations: object } } }).template;
      expect(metadata.annotations).toMatchObject({ scrape: 'true' });
      expect(metadata.labels).toMatchObject({ team: 'a', 'app.kubernetes.io/name': 'sluice' });
      expect(JSON.stringify(podOf(workload))).toContain('"pool"');
    }
  });
  test('keeps the node plugin on a node that cluster-autoscaler empties, unless the values say otherwise', async () => {
    const key = 'cluster-autoscaler.kubernetes.io/enable-ds-eviction';
    const annotationsOf = async (values: string) =>
      (named(await printed(values), 'DaemonSet', 'sluice-csi').spec.template as unknown as { metadata: { annotations: object } }).metadata
        .annotations;
    expect(await annotationsOf('')).toEqual({ [key]: 'false' });
    expect(await annotationsOf(`csi: { podAnnotations: { ${key}: "true" } }`)).toEqual({ [key]: 'true' });
  });
  test('keeps what Pod Security asks for when a security context names other fields', async () => {
    const values = `
      controller: { podSecurityContext: { runAsUser: 1000, supplementalGroups: [5] }, containerSecurityContext: { seLinuxOptions: { type: x } } }
      csi: { containerSecurityContext: { privileged: false, runAsUser: 5, seLinuxOptions: { type: spc_t } }, podSecurityContext: { fsGroup: 6 } }`;
    const manifests = await printed(values);
    expect(podOf(named(manifests, 'Deployment', 'sluice-controller'))).toMatchObject({
      securityContext: { runAsNonRoot: true, runAsUser: 1000, supplementalGroups: [5], seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            seLinuxOptions: { type: 'x' },
          },
        },
      ],
    });
    // Without these the plugin could not mount.
    expect(podOf(named(manifests, 'DaemonSet', 'sluice-csi'))).toMatchObject({
      securityContext: { fsGroup: 6 },
      containers: [
        { securityContext: { privileged: true, runAsUser: 0, readOnlyRootFilesystem: true, seLinuxOptions: { type: 'spc_t' } } },
      ],
    });
  });
  test('replaces pods and guards them from drains as the values say', async () => {
    const manifests = await printed(`
      controller: { updateStrategy: { type: Recreate }, podDisruptionBudget: false }
      csi: { updateStrategy: { type: OnDelete } }
      webhook: { updateStrategy: { rollingUpdate: { maxUnavailable: 50% } } }`);
    expect(named(manifests, 'Deployment', 'sluice-controller').spec).toMatchObject({ strategy: { type: 'Recreate' } });
    expect(named(manifests, 'DaemonSet', 'sluice-csi')['spec']).toMatchObject({ updateStrategy: { type: 'OnDelete' } });
    expect((named(manifests, 'Deployment', 'sluice-webhook')['spec'] as { strategy?: object }).strategy).toEqual({
      rollingUpdate: { maxUnavailable: '50%' },
    });
    const budgets = (all: readonly Manifest[]) =>
      all.filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ metadata }) => metadata.name);
    expect(budgets(manifests)).toEqual(['sluice-webhook']);
    expect(budgets(await printed(''))).toEqual(['sluice-controller', 'sluice-webhook']);
  });
  test('lets pods of runtimes pull with the Secrets of the installation', async () => {
    const manifests = await printed('imagePullSecrets: [{ name: a }, { name: b }]');
    const { env } = podOf(named(manifests, 'Deployment', 'sluice-controller')).containers[0];
    expect(env).toContainEqual({ name: 'IMAGE_PULL_SECRETS', value: 'a,b' });
  });
  test('lets who may view a namespace see Datasets, and who may edit one write them only on demand', async () => {
    const rolesOf = async (values: string) =>
      Object.fromEntries(
        (await printed(values))
          .filter(
            ({ kind, metadata }) => kind === 'ClusterRole' && ['sluice-view', 'sluice-operations', 'sluice-edit'].includes(metadata.name),
          )
          .map(({ metadata }) => [
            metadata.name,
            Object.keys((metadata as { labels?: object }).labels ?? {})
              .filter((key) => key.includes('aggregate-to'))
              .map((key) => key.split('-').at(-1))
              .toSorted(),
          ]),
      );
    expect(await rolesOf('')).toEqual({ 'sluice-view': ['admin', 'edit', 'view'], 'sluice-operations': [], 'sluice-edit': [] });
    expect((await rolesOf('aggregateEdit: true'))['sluice-edit']).toEqual(['admin', 'edit']);
  });

  test('takes null for a default that is not wanted, and keeps those that it needs', async () => {
    const manifests = await printed(
      'controller: { resources: { limits: null }, replicas: null }\ncsi: { affinity: null }\nmountRoot:\nwebhook:',
    );
    const controller = named(manifests, 'Deployment', 'sluice-controller');
    expect(controller.spec.replicas).toBe(2);
    expect(podOf(controller).containers[0].resources).toEqual({ requests: { cpu: '100m', memory: '256Mi' } });
    expect(podOf(named(manifests, 'DaemonSet', 'sluice-csi'))).not.toHaveProperty('affinity');
    expect(podOf(named(manifests, 'DaemonSet', 'sluice-csi')).containers[0].args).toContain('--mount-root=/runtime-mnt');
  });

  test('takes values of a file, over which flags win', async () => {
    const values = `
      namespace: data
      image: registry.example/sluice:1
      mountRoot: /mnt/data
      imagePullSecrets: [{ name: registry }]
      controller: { replicas: 5, nodeSelector: { zone: a }, args: [--probe-interval, 5m], env: [{ name: MOUNT_ROOT, value: /elsewhere }] }
      csi: { resources: { limits: { memory: 1Gi } }, tolerations: [] }`;
    const manifests = await printed(
      values,
      '--replicas',
      '3',
      '--toleration',
      'a=b:NoSchedule',
      '--toleration',
      'c',
      '--kubelet-dir',
      '/var/lib/k0s/kubelet',
      '--pod-logs-dir',
      '/mnt/logs',
    );
    const [controller, plugin] = [named(manifests, 'Deployment', 'sluice-controller'), named(manifests, 'DaemonSet', 'sluice-csi')];
    expect([controller, plugin].map(({ metadata }) => metadata.namespace)).toEqual(['data', 'data']);
    expect(controller.spec.replicas).toBe(3);
    expect(podOf(controller)).toMatchObject({
      nodeSelector: { zone: 'a', 'kubernetes.io/os': 'linux' },
      tolerations: [
        { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
        { key: 'c', operator: 'Exists' },
      ],
      imagePullSecrets: [{ name: 'registry' }],
    });
    const [{ args, env, image }] = podOf(controller).containers;
    expect(args).toEqual(['reconcile', '--dataset-metrics=20000', '--probe-interval', '5m']);
    expect(env).toContainEqual({ name: 'MOUNT_ROOT', value: '/elsewhere' });
    expect(env).not.toContainEqual({ name: 'MOUNT_ROOT', value: '/mnt/data' });
    expect(podOf(named(manifests, 'Deployment', 'sluice-webhook'))).toMatchObject({
      tolerations: [
        { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
        { key: 'c', operator: 'Exists' },
      ],
    });
    expect(podOf(plugin)).toMatchObject({ tolerations: [], imagePullSecrets: [{ name: 'registry' }] });
    expect(podOf(plugin).containers[0]).toMatchObject({ image, resources: { limits: { memory: '1Gi' } } });
    expect(podOf(plugin).containers[0].args).toEqual(
      expect.arrayContaining(['--kubelet-dir=/var/lib/k0s/kubelet', '--mount-root=/mnt/data', '--pod-logs-dir=/mnt/logs']),
    );
    const paths = podOf(plugin).volumes?.flatMap(({ hostPath }) => hostPath?.path ?? []);
    expect(paths).toEqual(['/var/lib/k0s/kubelet', '/mnt/data', '/mnt/logs']);
  });

  test('prints what a runtime needs in the whole installation, with the labels by which it is uninstalled', async () => {
    const pair = join(import.meta.dirname, '../../support/pair-runtime/index.ts');
    const config = join(mkdtempSync(join(tmpdir(), 'sluice-install-')), 'sluice.config.ts');
    onTestFinished(() => rmSync(dirname(config), { recursive: true }));
    writeFileSync(config, `import pair from '${pair}';\nexport default { runtimes: [pair] };\n`);
    const withoutImage = await sluice(['install', '--config', config]);
    expect(withoutImage).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--image: expected the image that `sluice image` built'),
    });
    const manifests = await printed('namespace: storage\nmountRoot: /mnt/fuse\nimage: pair:1', '--config', config);
    const commands = { 'sluice-controller': ['reconcile', ['--dataset-metrics=20000']], 'sluice-webhook': ['webhook', []] } as const;
    for (const [name, [command, more]] of Object.entries(commands))
      expect(podOf(named(manifests, 'Deployment', name)).containers[0]).toMatchObject({
        image: 'pair:1',
        args: [command, '--config', '/etc/sluice/sluice.config.mjs', ...more],
      });
    const daemon = named(manifests, 'ConfigMap', 'pair-daemon');
    expect(daemon).toMatchObject({
      metadata: { namespace: 'storage', labels: { app: 'pair', 'app.kubernetes.io/part-of': 'sluice' } },
      data: { mountRoot: '/mnt/fuse' },
    });
    expect(manifests.at(-1)?.kind).toBe('MutatingWebhookConfiguration');
  });
  test('prints the daemons of runtimes that are asked for, with the images of the controller’s environment', async () => {
    const values = `
      mountRoot: /mnt/fuse
      imagePullSecrets: [{ name: registry }]
      controller: { env: [{ name: EFC_SESSMGR_IMAGE_ENV, value: 'registry.example/sessmgr:1' }] }`;
    const efc = (manifests: readonly Manifest[]) => manifests.filter(({ metadata }) => /^efc-(system|sessmgr)$/.test(metadata.name));
    expect(efc(await printed(values))).toEqual([]);
    const asked = efc(await printed(values, '--daemon', 'efc'));
    expect(asked.map(({ kind }) => kind)).toEqual(['Namespace', 'DaemonSet']);
    for (const { metadata } of asked) expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/part-of': 'sluice' });
    expect(podOf(asked[1] as Workload)).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      containers: [{ image: 'registry.example/sessmgr:1' }],
      volumes: [{ hostPath: { path: '/mnt/fuse/efc-sock' } }],
    });
    expect(efc(await printed(`      daemons: [efc]${values}`))).toEqual(asked);
    for (const type of ['nfs', 'jindo']) {
      const { code, stderr } = await sluice(['install', '--daemon', type]);
      expect(stderr).toBe(`sluice: --daemon: expected types of runtimes that have daemons (efc), found "${type}"\n`);
      expect(code).toBe(2);
    }
  });
  test('ends with the configuration of the webhook, so that uninstall begins with it', async () => {
    const manifests = await printed('webhook: { platformLabel: acme.io/platform, failurePolicy: Ignore, timeoutSeconds: 5 }');
    const last = manifests.at(-1) as Manifest & { readonly webhooks: readonly { readonly name: string }[] };
    expect(last.kind).toBe('MutatingWebhookConfiguration');
    expect(last.webhooks).toMatchObject([
      { name: 'sidecar.fuse.fluid.io', failurePolicy: 'Ignore', timeoutSeconds: 5, sideEffects: 'None' },
      { name: 'older.sidecar.fuse.fluid.io', objectSelector: { matchLabels: { 'fuse.sidecar.fluid.io/inject': 'true' } } },
      {
        name: 'platform.sidecar.fuse.fluid.io',
        objectSelector: { matchExpressions: expect.arrayContaining([{ key: 'acme.io/platform', operator: 'Exists' }]) },
      },
      { name: 'fuse.serverful.fluid.io', failurePolicy: 'Ignore' },
    ]);
    for (const name of ['sluice-webhook', 'sluice-controller'])
      expect(podOf(named(manifests, 'Deployment', name)).containers[0].env).toContainEqual({
        name: 'KEY_SERVERLESS_PLATFORM',
        value: 'acme.io/platform',
      });
  });
  test.each([
    ['--validation', ''],
    [
      'webhook.validation',
      'webhook: { validation: true }\ncontroller: { env: [{ name: JINDO_ENGINE_TYPE, value: jindofsx }, { name: TZ, value: UTC }] }',
    ],
  ])('has the API server ask the webhook about its kinds with %s, and never wait for it', async (flag, values) => {
    const manifests = await printed(values, ...(flag.startsWith('--') ? [flag] : []));
    const last = manifests.at(-1) as Manifest & { readonly webhooks: readonly object[] };
    expect(last).toMatchObject({ kind: 'ValidatingWebhookConfiguration', metadata: { name: 'sluice-validation' } });
    expect(last.webhooks).toMatchObject([
      {
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        timeoutSeconds: 3,
        matchPolicy: 'Equivalent',
        clientConfig: { service: { path: '/validate-data-fluid-io' } },
      },
    ]);
    const [{ rules }] = last.webhooks as readonly [{ rules: readonly { resources: readonly string[]; scope: string }[] }];
    const kinds = rules.flatMap(({ resources }) => resources);
    expect(kinds).toEqual(expect.arrayContaining(['datasets', 'juicefsruntimes', 'dataloads', 'thinruntimeprofiles']));
    expect(kinds.filter((each) => each.includes('/'))).toEqual([]);
    const { args, env } = podOf(named(manifests, 'Deployment', 'sluice-webhook')).containers[0];
    expect(args).toContain('--validate');
    expect(env).toContainEqual({ name: 'MOUNT_ROOT', value: '/runtime-mnt' });
    const names = (env as readonly { readonly name: string }[]).map(({ name }) => name);
    expect([names.includes('JINDO_ENGINE_TYPE'), names.includes('TZ')]).toEqual([values !== '', false]);
  });
  test('grants the webhook nothing more, and prints no configuration, without validation', async () => {
    const manifests = await printed('');
    expect(manifests.filter(({ kind }) => kind === 'ValidatingWebhookConfiguration')).toEqual([]);
    expect(podOf(named(manifests, 'Deployment', 'sluice-webhook')).containers[0].args).not.toContain('--validate');
    expect(JSON.stringify(named(manifests, 'ClusterRole', 'sluice-webhook'))).not.toContain('validatingwebhookconfigurations');
    const { code, stderr } = await sluice(['install', '--validation', '--no-webhook']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'sluice: webhook.validation: expected the webhook too, which validates, found it omitted\n',
    });
  });
  test("has the webhook's Secret without data, and no ConfigMap: applied again, they would undo what was written meanwhile", async () => {
    const [secret, ...more] = (await printed('')).filter(({ kind }) => kind === 'Secret' || kind === 'ConfigMap');
    expect(more).toEqual([]);
    expect(secret?.metadata.name).toBe('fluid-webhook-certs');
    expect(Object.keys(secret ?? {}).toSorted()).toEqual(['apiVersion', 'kind', 'metadata']);
  });
  test.each([
    ['--no-webhook', ''],
    ['webhook: { enabled: false }', 'webhook: { enabled: false, replicas: 3 }'],
  ])('leaves out the webhook with %s', async (flag, values) => {
    const manifests = await printed(values, ...(flag.startsWith('--') ? [flag] : []));
    expect(manifests.filter(({ metadata }) => /webhook/.test(metadata.name))).toEqual([]);
  });

  test('reserves keys with --reserved-keys, for the controller and for those who are named', async () => {
    const [policy, binding] = (await printed('reservedKeysAllow: [restore]', '--reserved-keys', 'audit')).filter(
      ({ metadata }) => metadata.name === 'sluice-reserved-keys',
    );
    expect(binding?.['spec']).toEqual({ policyName: 'sluice-reserved-keys', validationActions: ['Warn', 'Audit'] });
    const { matchConditions, matchConstraints, variables } = (policy as Manifest)['spec'] as {
      readonly matchConditions: readonly { readonly expression: string }[];
      readonly matchConstraints: { readonly resourceRules: readonly { readonly resources: readonly string[] }[] };
      readonly variables: readonly { readonly expression: string }[];
    };
    expect(matchConditions[0]?.expression).toMatch(
      /^!\(request\.userInfo\.username in \["system:serviceaccount:fluid-system:sluice-controller",.*"restore"\]\)$/,
    );
    expect(matchConstraints.resourceRules.flatMap(({ resources }) => resources)).toEqual(
      'persistentvolumes persistentvolumeclaims daemonsets statefulsets cronjobs jobs'.split(' '),
    );
    const text = variables.map(({ expression }) => expression).join();
    for (const key of [...RESERVED_LABELS, ...RESERVED_ANNOTATIONS]) expect(text).toContain(JSON.stringify(key));
    const [, denies] = (await printed('', '--reserved-keys', 'deny')).filter(({ metadata }) => metadata.name === 'sluice-reserved-keys');
    expect(denies?.['spec']).toMatchObject({ validationActions: ['Deny', 'Audit'] });
    // Off by default.
    expect((await printed('')).filter(({ metadata }) => metadata.name === 'sluice-reserved-keys')).toEqual([]);
  });

  test('leaves out the node policy with --no-node-policy', async () => {
    const kinds = (await printed('', '--no-node-policy')).map(({ kind }) => kind);
    expect(kinds).toContain('CSIDriver');
    expect(kinds.filter((kind) => kind.startsWith('ValidatingAdmissionPolicy'))).toEqual([]);
  });

  test.each([
    [
      'controler: {}\ncsi: { args: 3 }',
      [],
      ['-: controler: expected a known field (did you mean controller?), found "controler"', '-: csi.args: expected a list, found 3'],
    ],
    [
      `controller: { env: [{ name: MOUNT_ROOT, value: relative }, { name: KEY_SERVERLESS_PLATFORM, valueFrom: {} }] }
webhook:
  platformLabel: serverless.fluid.io/inject
  env: [{ name: FUSE_SIDECAR_INJECTION_MODE, value: native }, { name: KEY_SERVERLESS_PLATFORM, value: acme.io/a }, { name: DISABLE_INJECTION, value: $(A) }]`,
      [],
      [
        '-: webhook.platformLabel: expected the key of a label of your platform, not one of Sluice, found "serverless.fluid.io/inject"',
        '-: controller.env: expected webhook.platformLabel instead of KEY_SERVERLESS_PLATFORM, found a reference',
        '-: controller.env: MOUNT_ROOT: expected an absolute path of letters, digits, "-" and "_", such as /runtime-mnt, found "relative"',
        '-: webhook.env: expected webhook.platformLabel instead of KEY_SERVERLESS_PLATFORM, found "acme.io/a"',
        '-: webhook.env: FUSE_SIDECAR_INJECTION_MODE: expected native-sidecar or default or legacy, found "native"',
      ],
    ],
    ['- a', [], ['-: expected a mapping of values, found another kind of value; see sluice install --help']],
    [
      'csi: { updateStrategy: { type: Recreate } }\nwebhook: { podDisruptionBudget: maybe }',
      [],
      [
        '-: csi.updateStrategy.type: expected one of RollingUpdate, OnDelete, found "Recreate"',
        '-: webhook.podDisruptionBudget: expected true or false, found "maybe"',
      ],
    ],
    ['reservedKeys: on', [], ['-: reservedKeys: expected one of audit, deny, found "on"']],
    [
      '',
      ['--reserved-keys-allow', 'a'],
      ['--reserved-keys-allow: expected reservedKeys too, audit or deny, found no policy that it could belong to'],
    ],
    ['', ['--replicas', 'two'], ['--replicas: expected an integer of at least 1, found "two"']],
    ...['', 'a b'].map((image): [string, string[], string[]] => [
      '',
      ['--image', image],
      [`--image: expected a string that matches ^[A-Za-z0-9][A-Za-z0-9._:/@-]*$, found "${image}"`],
    ]),
    [
      '',
      ['--toleration', ':NoSchedule'],
      ['--toleration: expected <key>[=<value>][:NoSchedule|:PreferNoSchedule|:NoExecute], found ":NoSchedule"'],
    ],
  ])('refuses %j %j and says why', async (input, flags, lines) => {
    expect(await sluice(['install', '--values', '-', ...flags], { input })).toEqual({
      code: 2,
      stdout: '',
      stderr: lines.map((line) => `sluice: ${line}\n`).join(''),
    });
  });

  test.each(['relative', '/a/../b', '/with space', '/'])('refuses %j as a mount root', async (path) =>
    expect(await sluice(['install', '--mount-root', path])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('sluice: --mount-root: '),
    }),
  );

  test.each(['/mnt/data', '/mnt/data_1/Cache', '/mnt/data.v1', '/mnt/-x', '/mnt//x/', 'mnt', '/', `/${'a'.repeat(64)}`])(
    'takes %s as mount root only if the programs that it prints do',
    async (mountRoot) => {
      const isTaken = (await sluice(['install', '--mount-root', mountRoot])).code === 0;
      const read = () => mountRootOf(mountRoot);
      if (isTaken) expect(read()).toBe(mountRoot);
      // A path that the programs would normalize is refused as well.
      else expect(() => expect(read()).toBe(mountRoot)).toThrow();
    },
  );
});
