/** A controller of some namespaces beside Fluid's: it runs as long as an admission policy keeps Fluid off them. */
import { type Clock, sleep, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { fenceOf, isInForce, readFence, whyOpen } from '../../takeover/try/fence.ts';
import { messageOf, Refused } from '../errors.ts';

type Client = Pick<KubeClient, 'get' | 'create'>;

/** Between two reads. For that long, two controllers may serve a namespace after the policy was deleted. */
const POLL_MS = 5_000;

/** Why a user may write in the namespaces, by what the policy says and by what it does. Throws Refused when that cannot be read. */
export async function whyOpenNow(
  client: Client,
  namespaces: readonly string[],
  user: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const why = whyOpen(await readFence(client, { signal }), namespaces, user);
    if (why !== undefined) return why;
    const inForce = await Promise.all(namespaces.map((namespace) => isInForce(client, namespace, { signal })));
    const open = namespaces.filter((_, i) => !inForce[i]);
    return open.length > 0 ? `the policy is not in force in ${open.join(', ')}` : undefined;
  } catch (error) {
    throw new Refused([`cannot check whether Fluid is kept off ${namespaces.join(', ')}: ${messageOf(error)}`], { cause: error });
  }
}

/**
 * Resolves with an error once the policy no longer refuses Fluid's writes in the namespaces: this process ends then, and the next one does not
 * start while Fluid runs. Never resolves if there was none at first, since Fluid did not run then. Resolves with undefined when aborted.
 */
export async function whenOpened(
  client: Client,
  namespaces: readonly string[],
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<Error | undefined> {
  let wasFenced = false;
  while (!signal.aborted) {
    const found = await readFence(client, { signal }).catch(() => undefined);
    // An API server that does not answer says nothing about the policy.
    const user = found && fenceOf(found)?.users[0];
    const why = found && whyOpen(found, namespaces, user ?? '');
    if (found && why === undefined) wasFenced = true;
    else if (found && wasFenced) return new Error(`Fluid may write in the namespaces that are served here: ${why}`);
    await sleep(clock, POLL_MS, signal).catch(() => {});
  }
  return undefined;
}
