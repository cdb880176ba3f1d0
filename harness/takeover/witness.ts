/** A witness of what must never be so, not even for a moment: a Dataset that is not Bound, a pod that is deleted, a webhook that does not answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Dataset } from '../../src/api/dataset.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import { messageOf } from '../../src/kube/errors.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { Pod, typeOf } from '../../src/planning/kinds.ts';

const ADMISSION_MS = 150;

export interface Witness {
  /** Sentences, each once. */
  readonly saw: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** @param except namespace of the controllers @param asked a claim that a pod with a sidecar would mount */
export function witness(client: KubeClient, except: string, asked: { readonly namespace: string; readonly name: string }): Witness {
  const saw = new Set<string>();
  const stop = new AbortController();
  const { signal } = stop;

  async function follow(type: ResourceType, look: (object: KubeObject, isDeleted: boolean) => string | undefined): Promise<void> {
    while (!signal.aborted)
      try {
        const { resourceVersion } = await client.list(type, { limit: 1 });
        for await (const event of client.watch(type, { resourceVersion, timeoutSeconds: 300, signal })) {
          const what = event.type === 'BOOKMARK' ? undefined : look(event.object, event.type === 'DELETED');
          if (what !== undefined) saw.add(`${type.kind} ${event.object.metadata.namespace}/${event.object.metadata.name} ${what}`);
        }
      } catch {
        await sleep(500);
      }
  }

  async function admissions(): Promise<void> {
    for (; !signal.aborted; await sleep(ADMISSION_MS)) {
      const problem = await problemOfAdmission(client, asked);
      if (problem !== undefined) saw.add(`no webhook answered: ${problem}`);
    }
  }

  const watching = Promise.all([
    follow(typeOf(Dataset), ({ status }) => {
      const { phase } = (status ?? {}) as { readonly phase?: string };
      return phase === 'Bound' ? undefined : `was ${phase}`;
    }),
    follow(Pod, ({ metadata: { namespace, deletionTimestamp } }, isDeleted) =>
      namespace !== except && (isDeleted || deletionTimestamp !== undefined) ? 'was deleted' : undefined,
    ),
    admissions(),
  ]);
  return {
    saw,
    async stop() {
      stop.abort();
      await watching;
    },
  };
}

/** Creates a pod as a dry run; returns why it got no sidecar. */
async function problemOfAdmission(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<string | undefined> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asks', namespace, labels: { 'serverless.fluid.io/inject': 'true' } },
    spec: {
      containers: [{ name: 'main', image: 'example.io/app', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    },
  };
  try {
    const { spec } = await client.create(Pod, pod, { dryRun: true, retries: 0 });
    const { containers = [], initContainers = [] } = spec as Readonly<Record<string, readonly object[]>>;
    return containers.length + initContainers.length > 1 ? undefined : 'the pod got no sidecar';
  } catch (error) {
    return messageOf(error)
      .replaceAll(/:\d{4,5}\b|\d+\.\d+\.\d+\.\d+/g, '')
      .slice(0, 300);
  }
}
