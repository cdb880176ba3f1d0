import { setTimeout as wait } from 'node:timers/promises';
import { GROUP, VERSION } from '../../api/resource.ts';
import type { Runtime } from '../../constructs/contract.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { OLDEST_MINOR } from '../../install/oldest-kubernetes.ts';
import { isNotFound, mayPass } from '../../kube/errors.ts';
import type { Log, ResourceType } from '../../kube/types.ts';
import { isOlder } from '../../kube/version.ts';
import { messageOf, Refused } from '../errors.ts';

const POLL_MS = 500;
const REMIND_MS = 60_000;

/** Throws Refused below Kubernetes 1.29, and when the API server does not answer. */
export async function checkVersion(client: KubeClient, log: Log): Promise<void> {
  const version = await client.version({ retries: 1 }).catch((error: unknown) => {
    throw new Refused(`the API server does not answer: ${messageOf(error)}`, { cause: error });
  });
  if (isOlder(version, OLDEST_MINOR)) throw new Refused(`expected Kubernetes 1.${OLDEST_MINOR} or newer, found ${version.gitVersion}`);
  log.info({ kubernetes: version.gitVersion, oldest: `1.${OLDEST_MINOR}` }, 'connected');
}

/** Resolves when the API server has the CRD of Datasets. Logs other missing CRDs; their kinds are served once these exist. */
export async function untilInstalled(client: KubeClient, runtimes: readonly Runtime[], log: Log, signal: AbortSignal): Promise<void> {
  const wanted = ['datasets', ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions].map(({ plural }) => plural))];
  await until(signal, log, async (reminds) => {
    const known = await kinds(client, signal);
    const missing = wanted.filter((plural) => !known.has(plural)).map((plural) => `${plural}.${GROUP}`);
    const ready = known.has('datasets');
    if (missing.length > 0 && (ready || reminds()))
      log.warn(
        { missing },
        `${ready ? 'serving without these' : 'waiting for'} CRDs: install them with \`sluice crds | kubectl apply --server-side -f -\``,
      );
    return ready;
  });
}

/** Resolves when the namespace of the lease exists. */
export async function untilNamespace(client: KubeClient, name: string, log: Log, signal: AbortSignal): Promise<void> {
  const namespaces: ResourceType = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
  await until(signal, log, async (reminds) => {
    try {
      await client.get(namespaces, { name }, { metadataOnly: true, signal, retries: 0 });
      return true;
    } catch (error) {
      if (isPassing(error, signal)) throw error;
      // A controller without the right to read namespaces may still have a lease in this one.
      if (!isNotFound(error)) return true;
      if (reminds())
        log.warn(
          { namespace: name },
          `waiting for namespace ${name} of the lease: create it, or use --leader-election-namespace or --no-leader-election`,
        );
      return false;
    }
  });
}

/** Polls until `holds` is true or the signal is aborted. Errors that pass are retried. `reminds` is true once a minute, to log the reason. */
export async function until(signal: AbortSignal, log: Log, holds: (reminds: () => boolean) => Promise<boolean>): Promise<void> {
  const [reminds, complains] = [oncePerMinute(), oncePerMinute()];
  while (!signal.aborted) {
    try {
      if (await holds(reminds)) return;
    } catch (error) {
      if (!isPassing(error, signal)) throw error;
      if (!signal.aborted && complains()) log.warn({ error: messageOf(error) }, 'the API server does not answer');
    }
    await pause(signal);
  }
}

/** Whether the error is that of an API server that starts or is overloaded, or of the aborted wait. */
const isPassing = (error: unknown, signal: AbortSignal): boolean => signal.aborted || mayPass(error);

function oncePerMinute(): () => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - last < REMIND_MS) return false;
    last = performance.now();
    return true;
  };
}

const pause = (signal: AbortSignal): Promise<void> => wait(POLL_MS, undefined, { signal }).catch(() => {});

async function kinds(client: KubeClient, signal: AbortSignal): Promise<ReadonlySet<string>> {
  try {
    const { resources = [] } = (await client.raw('GET', `/apis/${GROUP}/${VERSION}`, { signal, retries: 0 })) as {
      resources?: readonly { name: string }[];
    };
    return new Set(resources.map(({ name }) => name));
  } catch (error) {
    if (isNotFound(error)) return new Set();
    if (isPassing(error, signal)) throw error;
    throw new Refused(`the API server does not return its list of kinds: ${messageOf(error)}`, { cause: error });
  }
}
