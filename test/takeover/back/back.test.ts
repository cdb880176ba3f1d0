/** The way from Sluice back to Fluid, and what is said before. */
import { gzipSync } from 'node:zlib';
import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type ApiRequest, WRITES } from '../../../src/api-server/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { BACKWARD, canGoBack } from '../../../src/takeover/back/backward.ts';
import { sluiceOnly, SLUICE_ONLY } from '../../../src/takeover/back/fields.ts';
import { findingsOf } from '../../../src/takeover/back/findings.ts';
import { observerOfBack } from '../../../src/takeover/back/observe.ts';
import { firstOpen } from '../../../src/takeover/steps/run.ts';
import { deployment } from '../fluid/given.ts';
import { fenceObjects } from '../../../src/takeover/try/policies.ts';
import { type Action, NOTHING_DONE } from '../../../src/takeover/steps/step.ts';
import { additions } from '../../api/additions.ts';
import { bundlesOf } from '../../../src/webhook/certificates/ca-bundle.ts';
import { lasting } from '../../../src/webhook/certificates/lasting.ts';
import { certificatesIn, type Material } from '../../../src/webhook/certificates/material.ts';
import { back, go, NAMESPACE, scene, type Scene } from '../scene.ts';
import { DAY, fluidTakes, ofOldAuthority, secretOf, sluices, START } from '../webhooks.ts';

const read = (at: Scene) => observerOfBack(at.client, at.target, at.resources, lasting, at.clock)(NOTHING_DONE, { withUsers: true });
const user = (kind: string, name: string, more: object = {}): KubeObject =>
  ({ apiVersion: 'data.fluid.io/v1alpha1', kind, metadata: { name, namespace: 'default' }, ...more }) as KubeObject;
/** Values that Fluid gives the chart of a runtime. */
const OWNED = { owner: { enabled: true, apiVersion: 'data.fluid.io/v1alpha1', kind: 'JuiceFSRuntime', name: 'x', uid: 'u' } };
const helmRecord = (name: string, chart: string, config: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: `sh.helm.release.v1.${name}.v1`,
    namespace: 'default',
    labels: { owner: 'helm', name, version: '1', status: 'deployed' },
  },
  data: { release: gzipSync(JSON.stringify({ chart: { metadata: { name: chart } }, config })).toString('base64') },
});
const found = async (at: Scene) => findingsOf(await read(at)).map(({ what, objects, isOpen }) => [what.split(':')[0], objects, isOpen]);

/** Objects of Fluid, as far as a take-over and the way back change them. */
const fluidsOf = ({ server }: Scene) =>
  server
    .all()
    .filter(
      ({ kind, metadata: { name } }) =>
        ['DaemonSet', 'Deployment', 'Service', 'CSIDriver', 'MutatingWebhookConfiguration', 'Secret'].includes(kind) &&
        !name.startsWith('sluice'),
    )
    .map(({ kind, metadata, spec, webhooks, ...rest }) => ({
      kind,
      name: metadata.name,
      labels: metadata.labels ?? {},
      spec,
      webhooks,
      data: rest['data'],
    }));

test('Fluid runs as before, and nothing of Sluice is left but what both use', async () => {
  const at = scene({ nodes: 2 });
  const before = fluidsOf(at);
  await go(at);
  await back(at);
  at.settle();
  expect(at.violations).toEqual([]);
  expect(fluidsOf(at)).toEqual(before);
  const left = at.server.all().filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/part-of'] === 'sluice');
  expect(left.map(({ kind, metadata }) => `${kind}/${metadata.name}`).toSorted()).toEqual([
    'CustomResourceDefinition/datasets.data.fluid.io',
    `Namespace/${NAMESPACE}`,
  ]);
  expect(at.server.get('ConfigMap', NAMESPACE, 'sluice-takeover')).toBeUndefined();
});

test('forward, back and forward again end as forward does', async () => {
  const [once, twice] = [scene(), scene()];
  await go(once);
  await go(twice);
  await back(twice);
  await go(twice);
  expect(twice.digest()).toEqual(once.digest());
  expect(twice.violations).toEqual([]);
});

test('a webhook answers all the time on the way back', async () => {
  const at = scene();
  await go(at);
  const before = at.gaps['webhook'] ?? 0;
  await back(at);
  expect((at.gaps['webhook'] ?? 0) - before).toBe(0);
});

test('the Service has the port for which the configuration asks, after each write there and back', async () => {
  const at = scene();
  const lacking: string[] = [];
  const look = (): void => {
    const [service] = at.server.all('Service');
    const [configuration] = at.server.all('MutatingWebhookConfiguration');
    const { ports } = (service?.['spec'] ?? { ports: [] }) as { readonly ports: readonly { readonly port: number }[] };
    const webhooks = (configuration?.['webhooks'] ?? []) as readonly {
      readonly clientConfig: { readonly service: { readonly port?: number } };
    }[];
    for (const { clientConfig } of webhooks) {
      const { port: asked = 443 } = clientConfig.service;
      if (!ports.some(({ port }) => port === asked)) lacking.push(`${asked} is not among ${ports.map(({ port }) => port).join()}`);
    }
  };
  look();
  at.server.rules.add({ verb: WRITES }, { after: look });
  await go(at);
  await back(at);
  expect(lacking).toEqual([]);
});

interface Entries {
  readonly data: Readonly<Record<string, string>>;
}
const secretIn = ({ server }: Scene) => server.get('Secret', NAMESPACE, 'fluid-webhook-certs') as (KubeObject & Entries) | undefined;
const pem = (of: Entries, key: string): string => Buffer.from(of.data[key] ?? '', 'base64').toString();
const ends = (text: string): number => new X509Certificate(text).validToDate.getTime();
/** Sluice's webhook has served for some time with this certificate. */
async function served(material?: Promise<Material>): Promise<Scene> {
  const at = scene();
  await go(at);
  if (material) at.server.put(secretOf(await material), 'sluice-webhook');
  for (let i = 0; i < 30; i++) at.settle();
  // An exchange of certificates by hand.
  delete (at.gaps as Record<string, number>)['trust'];
  return at;
}

describe("the webhook's certificate, on the way back", () => {
  test('is that of Fluid if that lasts, and nobody writes the Secret', async () => {
    const at = await served();
    const before = secretIn(at)?.data;
    await back(at);
    expect(secretIn(at)?.data).toEqual(before);
    expect(at.gaps['trust']).toBeUndefined();
  });

  test.each([
    ['that Sluice has renewed', sluices(DAY)],
    ['that is no longer valid for the half year that Fluid wants', sluices(220 * DAY)],
  ])('%s becomes one for ten years of the same authority, and the API server trusts what answers all the time', async (_, material) => {
    const at = await served(material);
    const before = pem(secretIn(at)!, 'ca-cert.pem');
    await back(at);
    for (let i = 0; i < 30; i++) at.settle();
    const after = secretIn(at)!;
    expect(at.gaps['trust']).toBeUndefined();
    expect(pem(after, 'ca-cert.pem')).toBe(before);
    expect(ends(pem(after, 'cert.pem'))).toBe(ends(before));
    expect(ends(before)).toBeGreaterThan(START + 9 * 365 * DAY);
    expect(fluidTakes(after.data, START)).toBe(true);
  });

  test('of an authority that ends soon gets a new one beside it, which the API server trusts before Fluid starts', async () => {
    const at = await served(ofOldAuthority());
    const [old = ''] = certificatesIn(pem(secretIn(at)!, 'ca-cert.pem'));
    let trusted: boolean | undefined;
    at.server.rules.add(
      { verb: 'patch', kind: 'Deployment', name: 'fluid-webhook' },
      {
        before: () => {
          const [newest = ''] = certificatesIn(pem(secretIn(at)!, 'ca-cert.pem'));
          const [configuration] = at.server.all('MutatingWebhookConfiguration');
          trusted = newest !== old && bundlesOf(configuration!, NAMESPACE).every((each) => each.includes(newest) && each.includes(old));
        },
      },
    );
    await back(at);
    expect(trusted).toBe(true);
    expect(at.gaps['trust']).toBeUndefined();
    expect(ends(pem(secretIn(at)!, 'cert.pem'))).toBeGreaterThan(START + 9 * 365 * DAY);
  });

  test('whose Secret somebody has deleted is one that Fluid takes, beside the authority that Sluice serves with', async () => {
    const at = await served(sluices(DAY));
    at.server.remove('Secret', NAMESPACE, 'fluid-webhook-certs');
    await back(at);
    expect(at.gaps['trust']).toBeUndefined();
    expect(fluidTakes(secretIn(at)!.data, START)).toBe(true);
  });

  test('is written once, also by a run that was interrupted after it', async () => {
    const at = await served(sluices(DAY));
    at.server.forgetRequests();
    const action = (each: Action): void => {
      if (each.do === 'scale' && each.object.name === 'fluid-webhook') throw new Error('interrupted');
    };
    await expect(back(at, { action })).rejects.toThrow('interrupted');
    const { data } = secretIn(at)!;
    await back(at);
    expect(secretIn(at)?.data).toEqual(data);
    expect(at.server.requestsThat({ verb: 'update', kind: 'Secret', name: 'fluid-webhook-certs' })).toHaveLength(1);
  });
});

/** A CacheRuntime that was taken over: a StatefulSet of `replicas` in place of Fluid's of none. */
async function cacheTaken(at: Scene, replicas: number): Promise<object> {
  const runtime = at.server.put(user('CacheRuntime', 'cache'));
  const owner = { apiVersion: runtime.apiVersion, kind: 'CacheRuntime', name: 'cache', uid: runtime.metadata.uid ?? '' };
  const set = (apiVersion: string, kind: string, count: number, more: object = {}) => ({
    apiVersion,
    kind,
    metadata: { name: 'cache-worker', namespace: 'default', ownerReferences: [owner], ...more },
    spec: {
      replicas: count,
      serviceName: 'cache',
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } },
    },
  });
  at.server.put(set('workload.fluid.io/v1alpha1', 'AdvancedStatefulSet', 0));
  await go(at);
  // As Sluice's controller does.
  at.server.remove('AdvancedStatefulSet', 'default', 'cache-worker');
  at.server.put(set('apps/v1', 'StatefulSet', replicas, { labels: { 'fluid.io/managed-by': 'fluid' } }));
  return owner;
}

test('StatefulSets that took the place of AdvancedStatefulSets give it back, and leave their pods', async () => {
  const at = scene();
  const owner = await cacheTaken(at, 0);
  await back(at);
  expect(at.server.get('StatefulSet', 'default', 'cache-worker')).toBeUndefined();
  expect(at.server.get('AdvancedStatefulSet', 'default', 'cache-worker')).toMatchObject({
    spec: { replicas: 0 },
    metadata: { ownerReferences: [owner] },
  });
});

test('an AdvancedStatefulSet returns with the replicas that its runtime has by now, so that no pod ends', async () => {
  const at = scene();
  await cacheTaken(at, 3);
  await back(at);
  expect(at.server.get('AdvancedStatefulSet', 'default', 'cache-worker')).toMatchObject({ spec: { replicas: 3 } });
});

test('a controller of Fluid that somebody scaled up since keeps nothing from being restored', async () => {
  const at = scene();
  await cacheTaken(at, 0);
  at.server.put(deployment('dataset-controller', 2), 'argocd-controller');
  at.settle();
  await back(at);
  expect(at.server.get('AdvancedStatefulSet', 'default', 'cache-worker')).toBeDefined();
  expect(at.server.get('StatefulSet', 'default', 'cache-worker')).toBeUndefined();
});

test('policies of a try that nobody removed keep Fluid off no namespace any more', async () => {
  const at = scene();
  await go(at);
  for (const object of fenceObjects({ namespaces: ['default'], users: ['system:serviceaccount:fluid-system:dataset-controller'] }))
    at.server.put(object);
  await back(at);
  for (const kind of ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']) expect(at.server.all(kind)).toEqual([]);
});

test('conditions of Datasets that are not bound go while no controller runs, and those of others stay', async () => {
  const at = scene();
  const conditions = [{ type: 'Ready', status: 'False' }];
  at.server.put(user('Dataset', 'unbound', { status: { phase: 'NotBound', conditions } }));
  at.server.put(user('Dataset', 'bound', { status: { phase: 'Bound', conditions } }));
  await go(at);
  let meanwhile: unknown;
  at.server.rules.add(
    { verb: 'patch', kind: 'Dataset', name: 'unbound' },
    {
      before: () =>
        void (meanwhile = at.server
          .all('Pod')
          .filter(({ metadata: { name } }) => /-controller-/.test(name) && !name.startsWith('fluidapp')).length),
    },
  );
  await back(at);
  expect(meanwhile).toBe(0);
  expect(at.server.get('Dataset', 'default', 'unbound')?.['status']).toMatchObject({ conditions: [] });
  expect(at.server.get('Dataset', 'default', 'bound')?.['status']).toMatchObject({ conditions });
});

test('conditions go from a Dataset that is Pending with the condition Ready, and stay where Fluid sees no set-up', async () => {
  const at = scene();
  const conditions = { ready: [{ type: 'Ready', status: 'False' }], notReady: [{ type: 'NotReady', status: 'True' }] };
  at.server.put(user('Dataset', 'pending', { status: { phase: 'Pending', conditions: conditions.ready } }));
  at.server.put(user('Dataset', 'waiting', { status: { phase: 'NotBound', conditions: conditions.notReady } }));
  await go(at);
  await back(at);
  expect(at.server.get('Dataset', 'default', 'pending')?.['status']).toMatchObject({ conditions: [] });
  expect(at.server.get('Dataset', 'default', 'waiting')?.['status']).toMatchObject({ conditions: conditions.notReady });
});

test("records of Fluid's releases go if their runtime is gone, and those of living runtimes and of users' own charts stay", async () => {
  const at = scene();
  at.server.put(user('JuiceFSRuntime', 'living'));
  for (const [name, chart, config] of [
    ['living', 'juicefs', OWNED],
    ['gone', 'juicefs', OWNED],
    ['load-loader', 'fluid-dataloader', {}],
    ['theirs', 'wordpress', OWNED],
    // Alluxio's own chart has the name of Fluid's; a GooseFSRuntime is of no kind that Sluice has.
    ['own-alluxio', 'alluxio', { owner: 'somebody' }],
    ['goose', 'goosefs', OWNED],
    ['large', 'juicefs', { ...OWNED, filler: ' '.repeat(9 << 20) }],
  ] as const)
    at.server.put(helmRecord(name, chart, config));
  await go(at);
  expect(await found(at)).toContainEqual([
    "Records of Fluid's releases of runtimes and operations that no longer exist",
    ['ConfigMap default/sh.helm.release.v1.gone.v1', 'ConfigMap default/sh.helm.release.v1.load-loader.v1'],
    false,
  ]);
  await back(at);
  const left = at.server.all('ConfigMap').map(({ metadata }) => metadata.name);
  expect(left.filter((name) => name.startsWith('sh.helm')).toSorted()).toEqual([
    'sh.helm.release.v1.goose.v1',
    'sh.helm.release.v1.large.v1',
    'sh.helm.release.v1.living.v1',
    'sh.helm.release.v1.own-alluxio.v1',
    'sh.helm.release.v1.theirs.v1',
  ]);
});

test('each record of helm is read once, however many passes there are', async () => {
  const at = scene();
  for (const name of ['one', 'two', 'three']) {
    at.server.put(user('JuiceFSRuntime', name));
    at.server.put(helmRecord(name, 'juicefs', OWNED));
  }
  for (const name of ['a', 'b']) at.server.put(user('Dataset', name, { status: { phase: 'NotBound', conditions: [{ type: 'Ready' }] } }));
  await go(at);
  at.server.forgetRequests();
  await back(at);
  const isRecord = ({ name = '', namespace }: ApiRequest) =>
    namespace === 'default' && name.startsWith('sh.helm.release.v1.') && !name.includes('.fluid.');
  expect(at.server.requestsThat({ verb: 'get', kind: 'ConfigMap', when: isRecord })).toHaveLength(3);
  expect(
    at.server.requestsThat({ verb: 'list', kind: 'JuiceFSRuntime', when: ({ namespace }) => namespace === undefined }).length,
  ).toBeGreaterThan(3);
});

test('what Fluid would not serve is said before, and what needs a decision is marked', async () => {
  const at = scene();
  await go(at);
  at.server.put(user('CacheRuntime', 'new-cache'));
  at.server.put(user('JuiceFSRuntime', 'new-jfs', { spec: { imagePullSecrets: [{ name: 'x' }] } }));
  at.server.put(user('DataLoad', 'runs', { status: { phase: 'Executing' } }));
  at.server.put(user('DataLoad', 'cron', { spec: { policy: 'Cron' }, status: { phase: 'Executing' } }));
  at.server.put({
    ...user('DataLoad', 'paused'),
    metadata: { name: 'paused', namespace: 'default', annotations: { 'data.fluid.io/paused': 'true' } },
  });
  expect(await found(at)).toEqual([
    ['Paused operations', ['DataLoad default/paused'], true],
    ['Operations that run', ['DataLoad default/runs'], true],
    ['CacheRuntimes that were created under Sluice', ['CacheRuntime default/new-cache'], true],
    ['JuiceFSRuntimes that were created under Sluice', ['JuiceFSRuntime default/new-jfs'], false],
    ["Fields that Fluid's CRDs do not have", ['JuiceFSRuntime default/new-jfs'], false],
  ]);
});

test('an operation whose release Fluid installed itself goes on under Fluid', async () => {
  const at = scene();
  at.server.put(user('DataLoad', 'runs', { status: { phase: 'Executing' } }));
  at.server.put(helmRecord('runs-loader', 'fluid-dataloader'));
  await go(at);
  expect(await found(at)).toEqual([]);
});

test('without a record, or without the Deployments of Fluid, there is nothing to go back to', async () => {
  const at = scene();
  expect(canGoBack.of(await read(at))?.refusal?.join()).toContain('ConfigMap fluid-system/sluice-takeover does not exist');
  await go(at);
  expect(canGoBack.of(await read(at))).toBeUndefined();
  at.server.delete('Deployment', NAMESPACE, 'cacheruntime-controller');
  expect(canGoBack.of(await read(at))?.refusal?.join()).toContain("Fluid's cacheruntime-controller no longer exist");
});

test('after the way back, each of its steps is done', async () => {
  const at = scene();
  await go(at);
  await back(at);
  expect(firstOpen(BACKWARD, await read(at))[0]).toBe(BACKWARD.length);
});

test("fields of Sluice alone are those by which its CRDs differ from Fluid's", () => {
  const paths = additions
    .filter(({ path, kinds }) => kinds !== 'all' && (path.startsWith('spec.') || path.startsWith('*.template.metadata')))
    .map(({ path }) => path);
  const covered = (path: string) =>
    Object.values(SLUICE_ONLY)
      .flat()
      .some((each) => (path.startsWith('*') ? each.endsWith(path.slice(1)) : each === path));
  expect(paths.filter((path) => !covered(path))).toEqual([]);
  const claim = { spec: { volumeClaimTemplates: [{ metadata: {} }, { metadata: { name: 'cache' } }] } };
  expect(sluiceOnly(user('JuiceFSRuntime', 'x', claim))).toEqual(['spec.volumeClaimTemplates[].metadata.name']);
  expect(sluiceOnly(user('JuiceFSRuntime', 'x', { spec: { volumeClaimTemplates: [] } }))).toEqual([]);
});
