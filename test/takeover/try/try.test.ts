/** The whole command on an API server in memory, which does not run admission policies: the test refuses in their place. */
import { describe, expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { resources } from '../../../runtimes/_resources.gen.ts';
import { createApiServer } from '../../../src/api-server/index.ts';
import { type Clock, systemClock } from '../../../src/kube/clock.ts';
import type { KubeClient } from '../../../src/kube/contract.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { typeOf } from '../../../src/planning/kinds.ts';
import { FENCE, PROBE } from '../../../src/takeover/try/policies.ts';
import { giveBack, NotTried, tryOut, type TryResult } from '../../../src/takeover/try/try.ts';

const SYSTEM = 'fluid-system';
const INSTALLATION = { values: { image: 'registry.example/sluice:1' }, image: 'sluice:0', resources, runtimes, furtherRuntimes: false };

/** Waits take no time. */
function fastClock(): Clock {
  let now = 0;
  return {
    ...systemClock,
    monotonic: () => now,
    after(ms, run) {
      const timer = setImmediate(() => {
        now += ms;
        run();
      });
      return () => clearImmediate(timer);
    },
  };
}

/** A cluster with Fluid in it, whose Deployments have pods as soon as they are applied. */
function cluster(minor = '34') {
  const server = createApiServer({ kinds: resources.map(typeOf), namespaces: [SYSTEM, 'ml', 'dev', 'web'] });
  const template = { spec: { serviceAccountName: 'dataset-controller', containers: [{ name: 'manager', image: 'fluid/dataset:v1.0.8' }] } };
  server.put({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: SYSTEM, name: 'dataset-controller' },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, ...template } },
  });
  const own = server.client({ fieldManager: 'kubectl' });
  const fenced = (namespace: string | undefined): boolean => {
    const binding = server.get('ValidatingAdmissionPolicyBinding', undefined, FENCE);
    const policy = server.get('ValidatingAdmissionPolicy', undefined, FENCE);
    return policy !== undefined && JSON.stringify(binding?.['spec'] ?? '').includes(`"${namespace}"`);
  };
  let pods = 0;
  const client: KubeClient = {
    ...own,
    version: async () => ({ major: '1', minor, gitVersion: `v1.${minor}.0` }),
    async create(type, object, options) {
      if (object.metadata.name !== PROBE) return own.create(type, object, options);
      if (fenced(object.metadata.namespace))
        throw new ApiError({ method: 'POST', path: '/' }, 403, `ValidatingAdmissionPolicy '${FENCE}' denied`);
      return object;
    },
    async apply(type, object, options) {
      const result = await own.apply(type, object, options);
      if (type.kind === 'Deployment') roll(object);
      return result;
    },
    async delete(type, name, options) {
      await own.delete(type, name, options);
      if (type.kind === 'Deployment') server.remove('Pod', SYSTEM, `sluice-controller-${pods}`);
    },
  };
  /** As the controllers of Kubernetes and Sluice's own would. */
  function roll(deployment: KubeObject): void {
    const { template: of } = deployment['spec'] as { template: { metadata: { labels: Record<string, string> }; spec: object } };
    if (pods > 0) server.remove('Pod', SYSTEM, `sluice-controller-${pods}`);
    const name = `sluice-controller-${++pods}`;
    server.put({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: SYSTEM, name, labels: of.metadata.labels }, spec: of.spec });
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace: SYSTEM, name: 'sluice' } };
    server.put({ ...lease, spec: { holderIdentity: `${name}_x` } });
  }
  const titles: string[] = [];
  const command = {
    client,
    installation: INSTALLATION,
    clock: fastClock(),
    progress: {
      done: ({ title }: { readonly title: string }, _: number, __: string, left?: string) =>
        void titles.push(left === undefined ? title : `… ${title}`),
    },
  };
  const names = (kind: string) => server.all(kind).map(({ metadata }) => metadata.name);
  return {
    server,
    titles,
    fenced,
    names,
    tryOut: (...namespaces: string[]): Promise<TryResult> => tryOut(command, namespaces),
    giveBack: (...namespaces: string[]): Promise<TryResult> => giveBack(command, namespaces),
    giveBackWithoutValues: (...namespaces: string[]): Promise<TryResult> =>
      giveBack({ ...command, installation: { ...INSTALLATION, values: {} } }, namespaces),
    args: () =>
      (server.get('Pod', SYSTEM, `sluice-controller-${pods}`) as { spec?: { containers: { args: string[] }[] } } | undefined)?.spec
        ?.containers[0]?.args,
  };
}

describe('sluice takeover try', () => {
  test('keeps Fluid off the namespaces, and has a controller serve them', async () => {
    const at = cluster();
    expect(await at.tryOut('ml', 'dev')).toEqual({ namespaces: ['dev', 'ml'], back: [] });
    expect([at.fenced('ml'), at.fenced('dev'), at.fenced('web')]).toEqual([true, true, false]);
    expect(at.args()?.join(' ')).toContain('--namespaces dev,ml');
    expect(at.names('DaemonSet')).toEqual([]);
    expect(at.names('MutatingWebhookConfiguration')).toEqual([]);
  });
  test('leaves the policy as it is the second time, and adds a namespace', async () => {
    const at = cluster();
    await at.tryOut('ml');
    const policy = at.server.get('ValidatingAdmissionPolicy', undefined, FENCE);
    await at.tryOut('ml');
    expect(at.server.get('ValidatingAdmissionPolicy', undefined, FENCE)?.metadata.resourceVersion).toBe(policy?.metadata.resourceVersion);
    expect(await at.tryOut('web')).toEqual({ namespaces: ['ml', 'web'], back: [] });
    expect([at.fenced('ml'), at.fenced('web')]).toEqual([true, true]);
  });
  test('a pod of an earlier controller that was evicted, and that Kubernetes keeps, holds nobody up', async () => {
    const at = cluster();
    await at.tryOut('ml', 'dev');
    const pod = at.server.all('Pod').find(({ metadata: { name } }) => name.startsWith('sluice-controller'))!;
    const { namespace, labels } = pod.metadata;
    const metadata = { namespace: namespace!, name: 'sluice-controller-evicted', labels: labels! };
    at.server.put({ apiVersion: 'v1', kind: 'Pod', metadata, spec: pod['spec'], status: { phase: 'Failed' } });
    expect(await at.giveBack('ml')).toEqual({ namespaces: ['dev'], back: ['ml'] });
  });
  test('gives one of them back, and then all', async () => {
    const at = cluster();
    await at.tryOut('ml', 'dev');
    expect(await at.giveBack('ml')).toEqual({ namespaces: ['dev'], back: ['ml'] });
    expect([at.fenced('ml'), at.fenced('dev')]).toEqual([false, true]);
    expect(at.names('ValidatingAdmissionPolicyBinding')).not.toContain(`${FENCE}-nodes-ml`);
    expect(at.args()?.join(' ')).toContain('--namespaces dev');
    expect(await at.giveBack()).toEqual({ namespaces: [], back: ['dev'] });
    for (const kind of ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'Pod']) expect(at.names(kind)).toEqual([]);
    expect(at.names('Deployment')).toEqual(['dataset-controller']);
    expect(at.names('ClusterRole')).toEqual([]);
    expect(await at.giveBack()).toEqual({ namespaces: [], back: [] });
  });
  test('after a take-over, giving back removes the policies alone, and not while Fluid runs', async () => {
    const at = cluster();
    await at.tryOut('ml');
    const taken = at.server.get('Deployment', SYSTEM, 'sluice-controller')!;
    const before = taken['spec'] as { readonly template: object };
    const template = { ...before.template, spec: { containers: [{ name: 'controller', args: ['reconcile'] }] } };
    at.server.put({ ...taken, spec: { ...before, template } });
    await expect(at.giveBack()).rejects.toThrow("Fluid's run beside it: stop dataset-controller first");
    expect(at.fenced('ml')).toBe(true);
    const fluid = at.server.get('Deployment', SYSTEM, 'dataset-controller')!;
    at.server.put({ ...fluid, spec: { ...(fluid['spec'] as object), replicas: 0 } });
    expect(await at.giveBack()).toEqual({ namespaces: [], back: [] });
    expect(at.names('ValidatingAdmissionPolicy')).toEqual([]);
    expect(at.names('Deployment')).toContain('sluice-controller');
  });
  test('continues after each write that failed', async () => {
    for (let nth = 0; nth < 400; nth++) {
      const at = cluster();
      let writes = 0;
      const rule = at.server.rules.refuse(
        { verb: ['apply', 'delete'], when: () => writes++ === nth },
        { status: 403, reason: 'Forbidden' },
      );
      const outcome = await at.tryOut('ml').then(
        () => 'done',
        () => 'failed',
      );
      rule.remove();
      if (outcome === 'done') {
        expect(nth).toBeGreaterThan(10);
        return;
      }
      // Sluice's controller never serves what Fluid may write.
      if (at.names('Pod').length > 0) expect(at.fenced('ml')).toBe(true);
      expect(await at.tryOut('ml')).toEqual({ namespaces: ['ml'], back: [] });
    }
    throw new Error('expected an end');
  });
  test('a namespace that is given back leaves nothing, whichever write failed before', async () => {
    for (let nth = 0; nth < 400; nth++) {
      const at = cluster();
      await at.tryOut('ml');
      let writes = 0;
      const rule = at.server.rules.refuse(
        { verb: ['apply', 'delete'], when: () => writes++ === nth },
        { status: 403, reason: 'Forbidden' },
      );
      const outcome = await at.giveBack().then(
        () => 'done',
        () => 'failed',
      );
      rule.remove();
      if (outcome === 'done') {
        expect(nth).toBeGreaterThan(10);
        return;
      }
      await at.giveBack();
      for (const kind of ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'ClusterRole', 'ClusterRoleBinding'])
        expect(at.names(kind), `after write ${nth}`).toEqual([]);
      expect(at.names('ServiceAccount'), `after write ${nth}`).toEqual([]);
    }
    throw new Error('expected an end');
  });
  test('keeps the image of the controller where none is named', async () => {
    const at = cluster();
    await at.tryOut('ml', 'dev');
    const imageOf = () => JSON.stringify(at.server.get('Deployment', SYSTEM, 'sluice-controller')).match(/"image":"([^"]*)"/)?.[1];
    await at.giveBackWithoutValues('ml');
    expect(imageOf()).toBe('registry.example/sluice:1');
  });
  test('clears the condition Ready of a Dataset that is not bound, with which Fluid would not set it up', async () => {
    const at = cluster();
    await at.tryOut('ml');
    const dataset = (name: string, status: object) =>
      at.server.put({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', metadata: { namespace: 'ml', name }, spec: {}, status });
    const conditions = [{ type: 'Ready', status: 'False' }];
    dataset('waits', { phase: 'NotBound', conditions });
    dataset('serves', { phase: 'Bound', conditions });
    await at.giveBack();
    const conditionsOf = (name: string) =>
      (at.server.get('Dataset', 'ml', name) as { status?: { conditions: object[] } } | undefined)?.status?.conditions;
    expect([conditionsOf('waits'), conditionsOf('serves')]).toEqual([[], conditions]);
  });
  test('does not wait for ever for runtimes that Sluice does not report on', async () => {
    const at = cluster();
    at.server.put({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'ThinRuntime', metadata: { namespace: 'ml', name: 'alone' }, spec: {} });
    await at.tryOut('ml');
    expect(at.titles.at(-1)).toBe('… Sluice has adopted the runtimes there');
  });

  const refused = (work: Promise<unknown>) =>
    work.then(
      () => [],
      (error: unknown) => (error instanceof NotTried ? error.lines : [String(error)]),
    );
  test.each<[string, string, (at: ReturnType<typeof cluster>) => Promise<unknown>]>([
    ['below Kubernetes 1.30', 'expected Kubernetes 1.30 or newer', () => cluster('29').tryOut('ml')],
    ['of a namespace that does not exist', '  namespace mll does not exist', (at) => at.tryOut('mll')],
    ["of Fluid's own namespace", '  fluid-system is the namespace of Fluid itself', (at) => at.tryOut(SYSTEM)],
    [
      'without Fluid',
      'expected controllers of Fluid, found none',
      (at) => (at.server.remove('Deployment', SYSTEM, 'dataset-controller'), at.tryOut('ml')),
    ],
    [
      'after a take-over',
      'serves all namespaces: nothing is left to try',
      (at) => {
        const spec = { template: { spec: { containers: [{ name: 'controller', args: ['reconcile'] }] } } };
        at.server.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: SYSTEM, name: 'sluice-controller' }, spec });
        return at.tryOut('ml');
      },
    ],
  ])('is refused %s, and nothing is written', async (_, expected, work) => {
    const at = cluster();
    expect((await refused(work(at))).join('\n')).toContain(expected);
    expect(at.server.requests.filter(({ verb }) => verb !== 'get' && verb !== 'list')).toEqual([]);
  });
});
