import { runtimePlural } from '../../api/index.ts';
import { webhookNames } from '../../api/webhook-names.ts';
import { type Clock, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { createLimiter } from '../../kube/turns/limiter.ts';
import type { KubeObject, Log, ResourceType } from '../../kube/types.ts';
import { whyStale } from '../../kube/watch/staleness.ts';
import { type Reflector, type ReflectOptions, reflect } from '../../kube/watch/reflector.ts';
import type { Knowledge } from '../knowledge.ts';
import { knownObjects, type ObjectSources } from './known-objects.ts';
import { profileWatch } from './profile-watch.ts';
import { fuseProjection, cachedClaim, cachedDataset, cachedRuntime, cachedVolume } from './projections.ts';
import { readObjects } from './read.ts';
import { CLAIM, CONFIG_MAP, DAEMON_SET, DATASET, ours, type RuntimeKind, VOLUME } from './types.ts';

export interface KnowledgeOptions {
  readonly client: KubeClient;
  /** Kinds of runtimes; their CRDs may not be installed. */
  readonly runtimes: readonly RuntimeKind[];
  /** Where the ConfigMap `webhook-plugins` is. */
  readonly namespace: string;
  /** Called with what is wrong with that ConfigMap, and with undefined when nothing is. */
  readonly onProfileFault?: (fault: string | undefined) => void;
  readonly log: Log;
  readonly clock?: Clock;
}

/** The answers of a list are many times as large as what is kept of them. */
const LISTS_AT_A_TIME = 2;
const nothing = (): void => {};
/** Longer than an API server restarts: otherwise all replicas would leave the Service when it comes back. */
const AWAY_MS = 60_000;

export function startWatches({
  client,
  runtimes,
  namespace,
  onProfileFault = nothing,
  log,
  clock = systemClock,
}: KnowledgeOptions): Knowledge {
  const listing = createLimiter(LISTS_AT_A_TIME, clock);
  const unlisted = new Map<string, Reflector<KubeObject>>();
  const reflectors = new Map<string, Reflector<KubeObject>>();

  function watch<T extends KubeObject>(type: ResourceType, options: ReflectOptions<T>): Reflector<T> {
    const reflector = reflect<T>(client, type, { ...options, listing, log, clock });
    // The cast: what is listed is not changed through it.
    const any = reflector as unknown as Reflector<KubeObject>;
    reflectors.set(type.plural, any);
    unlisted.set(type.plural, any);
    // A kind that is not installed has no objects; it is watched once it is.
    void reflector.answered.then(() => unlisted.delete(type.plural));
    return reflector;
  }

  const profiles = profileWatch(log, onProfileFault);
  const claims = watch(CLAIM, { metadataOnly: true, project: cachedClaim, onChange: nothing });
  const datasets = watch(DATASET, { project: cachedDataset, onChange: nothing });
  const volumes = watch(VOLUME, { project: cachedVolume, onChange: nothing });
  const fuses = watch(DAEMON_SET, { project: fuseProjection(), onChange: nothing });
  const byPlural = new Map(
    runtimes.map((kind) => [kind.plural, watch(ours(kind), { project: cachedRuntime, onChange: nothing })] as const),
  );
  watch(CONFIG_MAP, {
    namespace,
    fieldSelector: `metadata.name=${webhookNames.profile}`,
    onChange: ({ type, object }) => profiles.changed(type === 'deleted' ? undefined : object),
  });

  const sources: ObjectSources = {
    claim: claims.get,
    areClaimsStale: () => whyStale(claims.status) !== undefined,
    dataset: datasets.get,
    volume: (name) => volumes.get(undefined, name),
    runtime: (type, namespace, name) => byPlural.get(runtimePlural(type))?.get(namespace, name),
    fuse: fuses.get,
  };

  return {
    known: knownObjects(sources),
    profile: profiles.current,
    notReady() {
      if (unlisted.size === 0) return outOfTouch(reflectors);
      const which = [...unlisted].map(([plural, { status }]) => plural + (status.lastError === undefined ? '' : ` (${status.lastError})`));
      return `not listed yet: ${which.join(', ')}`;
    },
    async read(unknown, signal) {
      return knownObjects(await readObjects({ client, signal }, unknown, sources));
    },
    stop() {
      for (const reflector of reflectors.values()) reflector.stop();
    },
  };
}

function outOfTouch(reflectors: ReadonlyMap<string, Reflector<KubeObject>>): string | undefined {
  const late = [...reflectors].flatMap(([plural, { status }]) => {
    const why = status.unknownKind || status.awayMs < AWAY_MS ? undefined : whyStale(status);
    return why === undefined ? [] : `${plural}: ${why}`;
  });
  return late.length > 0 ? `out of touch: ${late.join(', ')}` : undefined;
}
