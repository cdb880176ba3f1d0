import type { KubeClient } from '../../../kube/contract.ts';
import type { KubeObject } from '../../../kube/types.ts';
import type { JobView } from '../../operations/world.ts';
import type { Key } from '../../world.ts';
import { Pod } from '../kinds.ts';

/** A condition is read by people: the last lines say why a program failed. */
const MOST_CHARACTERS = 1000;
/** A Job has one pod at a time, and replaces a few. */
const MOST_PODS = 20;

/** The end of what the last failed pod of a Job printed, with the pod's name and exit code. Its status has that: no right to read logs is needed. */
export async function lastOutput(client: KubeClient, { namespace }: Key, { uid }: JobView): Promise<string | undefined> {
  const { items } = await client.list(Pod, { namespace, labelSelector: `batch.kubernetes.io/controller-uid=${uid}`, limit: MOST_PODS });
  const [last] = items.flatMap(endsOf).toSorted((a, b) => b.finishedAt.localeCompare(a.finishedAt));
  if (!last) return undefined;
  const output = last.message.trim().slice(-MOST_CHARACTERS).trim();
  return `pod ${last.pod} ended with exit code ${last.exitCode}${output ? `, and printed last: ${output}` : ''}`;
}

interface Terminated {
  readonly exitCode?: number;
  readonly message?: string;
  readonly finishedAt?: string;
}
function endsOf({ metadata, status }: KubeObject) {
  const { containerStatuses = [] } = (status ?? {}) as { containerStatuses?: readonly { state?: { terminated?: Terminated } }[] };
  return containerStatuses.flatMap(({ state }) => {
    const { exitCode = 0, message = '', finishedAt = '' } = state?.terminated ?? {};
    return exitCode === 0 ? [] : [{ pod: metadata.name, exitCode, message, finishedAt }];
  });
}
