/** Datasets of all kinds, each with a pod that mounts its volume. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Dataset } from '../../src/api/dataset.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { Pod, typeOf, typeOfManifest } from '../../src/planning/kinds.ts';
import type { Manifest } from '../../src/api/index.ts';

/** The objects that a user writes for one Dataset; namespaces are created for them. */
export interface Wanted {
  readonly companions: readonly KubeObject[];
  readonly pairs: readonly { readonly dataset: KubeObject; readonly runtime: KubeObject }[];
}

/** Creates all, waits until each Dataset is Bound and its pod runs. @throws Error with those that are not, after `seconds` */
export async function setUp(client: KubeClient, { companions, pairs }: Wanted, seconds: number): Promise<void> {
  const create = (object: KubeObject) => client.create(typeOfManifest(object as Manifest), object);
  const namespaces = new Set([...companions, ...pairs.map(({ dataset }) => dataset)].flatMap(({ metadata }) => metadata.namespace ?? []));
  for (const name of namespaces) await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const companion of companions) await create(companion);
  for (const { dataset, runtime } of pairs) await create(dataset).then(() => create(runtime));
  await untilNone(seconds, 'are not Bound', async () =>
    (await client.list(typeOf(Dataset), {})).items.filter((each) => phaseOf(each) !== 'Bound').map(({ metadata }) => metadata.name),
  );
  for (const { dataset } of pairs) await create(reader(dataset));
  await untilNone(seconds, 'do not run', async () =>
    (await client.list(Pod, { labelSelector: 'app=reader' })).items
      .filter((each) => phaseOf(each) !== 'Running')
      .map(({ metadata }) => metadata.name),
  );
}

const phaseOf = ({ status }: KubeObject): string => (status as { readonly phase?: string } | undefined)?.phase ?? '';

function reader({ metadata: { namespace, name } }: KubeObject): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: `${name}-reader`, labels: { app: 'reader' } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'reader', image: 'example.io/reader:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    },
  } as KubeObject;
}

async function untilNone(seconds: number, what: string, left: () => Promise<readonly string[]>): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const names = await left();
    if (names.length === 0) return;
    if (performance.now() > deadline) throw new Error(`after ${seconds} s ${names.length} ${what}: ${names.slice(0, 10).join(', ')}`);
    await sleep(1000);
  }
}
