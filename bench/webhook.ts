import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../src/kube/types.ts';
import { freePorts } from '../harness/control-plane/ports.ts';
import { MERGE } from './client.ts';
import { bundled, PROGRAM } from './controller.ts';
import { atMost, type Bench, rounded } from './figure.ts';
import { atOnce, type Lab, nameOf, range, say, until } from './lab.ts';
import { pair, paths } from './objects.ts';
import { cpuSeconds, memory } from './proc.ts';
import { WEBHOOK_MEMORY } from '../src/install/memory.ts';

const RENDERED = join(import.meta.dirname, '../test/golden/juicefs/minimal.yaml');
const TARGETS = { ready: 8, rss: 120 } as const;
/** So that a namespace is not the cluster. */
const OF_ONE_NAMESPACE = 100;

/** A webhook that starts where so many Datasets are bound: when it is ready, and what it then takes. */
export const webhook = (count: number): Bench => ({
  name: `webhook-${count}`,
  async *run({ lab: open }) {
    const lab = await open();
    await populate(lab, count);
    await bundled();
    const [port = 0, metrics = 0] = await freePorts(2);
    const address = `127.0.0.1:${metrics}`;
    const startedAt = performance.now();
    const args = ['webhook', '--kubeconfig', lab.kubeconfig, '--port', String(port), '--metrics-addr', address];
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, ...WEBHOOK_MEMORY, MY_POD_NAMESPACE: 'default' },
    });
    const pid = child.pid ?? 0;
    const ended = once(child, 'exit');
    try {
      const isReady = () =>
        fetch(`http://${address}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until('the webhook is ready', 60, isReady, 20);
      const readyAfter = (performance.now() - startedAt) / 1000;
      yield atMost(`webhook-${count}/ready`, readyAfter, 's from its start', TARGETS.ready, { cpuSeconds: rounded(cpuSeconds(pid)) });
      await sleep(10_000);
      const { rss, peak } = memory(pid);
      yield atMost(`webhook-${count}/memory`, rss, 'MB', TARGETS.rss, { peak: rounded(peak) });
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  },
});

/** Objects as the controller leaves them, without what makes pods: the webhook sees the same. */
async function populate({ user }: Lab, count: number): Promise<void> {
  say(`creating the objects of ${count} Datasets`);
  const rendered = parseAllDocuments(readFileSync(RENDERED, 'utf8')).map((document) => document.toJS() as KubeObject);
  const namespaceOf = (i: number): string => `webhook-${String(Math.floor(i / OF_ONE_NAMESPACE)).padStart(3, '0')}`;
  for (const namespace of new Set(range(count).map(namespaceOf)))
    await user.send('POST', paths.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await atOnce(16, range(count), async (i) => {
    const [namespace, name] = [namespaceOf(i), nameOf(i)];
    const of = (kind: string): KubeObject => {
      const text = JSON.stringify(rendered.find((each) => each.kind === kind));
      return JSON.parse(
        text.replaceAll('ml-demo', `${namespace}-${name}`).replaceAll('demo', name).replaceAll('"ml"', `"${namespace}"`),
      ) as KubeObject;
    };
    const { dataset, runtime } = pair('juicefs', namespace, name);
    await user.send('POST', paths.datasets(namespace), withLabels(dataset, of('DaemonSet')));
    await user.send('PATCH', `${paths.datasets(namespace)}/${name}/status`, { status: datasetStatus(namespace, name) }, MERGE);
    await user.send('POST', paths.runtimes('juicefs', namespace), withLabels(runtime, of('DaemonSet')));
    await user.send('PATCH', `${paths.runtimes('juicefs', namespace)}/${name}/status`, { status: runtimeStatus }, MERGE);
    await user.send('POST', paths.apps(namespace, 'daemonsets'), of('DaemonSet'));
    await user.send('POST', paths.core(namespace, 'persistentvolumeclaims'), of('PersistentVolumeClaim'));
    await user.send('POST', paths.volumes, of('PersistentVolume'));
  });
}

const withLabels = (object: KubeObject, { metadata }: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { 'fluid.io/dataset-id': metadata.labels?.['fluid.io/dataset-id'] ?? '' } },
});
const condition = (type: string, reason: string) => ({
  type,
  status: 'True',
  reason,
  message: 'The ddc runtime is ready.',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  lastUpdateTime: '2026-01-01T00:00:00Z',
});
const datasetStatus = (namespace: string, name: string) => ({
  phase: 'Bound',
  conditions: [condition('Ready', 'DatasetReady')],
  runtimes: [{ name, namespace, type: 'juicefs', category: 'Accelerate' }],
  mounts: [{ mountPoint: 'juicefs:///', name }],
});
const numbers = (role: string) => ({
  [`desired${role}NumberScheduled`]: 1,
  [`current${role}NumberScheduled`]: 1,
  [`${role.toLowerCase()}NumberReady`]: 1,
  [`${role.toLowerCase()}Phase`]: 'Ready',
});
const runtimeStatus = {
  valueFile: '',
  ...numbers('Master'),
  ...numbers('Worker'),
  ...numbers('Fuse'),
  cacheAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
};
