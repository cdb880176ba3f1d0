import type { Admission, DatasetUse, WebhookSettings } from './admission.ts';
import { Denied } from './denied.ts';
import type { KnownObjects, KnownDataset, Unknown } from './known.ts';
import { metered, TooMuch } from './metered.ts';
import { labelsOf, type Pod } from './pod.ts';
import type { Profile } from './profile.ts';
import { modeOf, injectionOptionsOf } from './injection-options.ts';

export interface AdmissionRequest {
  readonly pod: Pod;
  /** Namespace of the request. */
  readonly namespace: string;
}

/** Settings and sources of one admission. */
export interface AdmissionContext {
  readonly known: KnownObjects;
  readonly settings: WebhookSettings;
  readonly profile: Profile;
  readonly random: () => string;
  /** Texts for the user, which the answer carries as warnings. */
  readonly warn: (message: string) => void;
}

/**
 * The pod to create; the same object if nothing changes. It depends on its arguments only, and has no effect.
 * @throws Denied if the pod asked for a sidecar and cannot have it
 */
export function mutate({ pod, namespace }: AdmissionRequest, { settings, profile, random, warn, ...context }: AdmissionContext): Pod {
  const mode = modeOf(labelsOf(pod), settings);
  if (mode === 'none') return pod;
  if (pod.metadata.namespace !== undefined && pod.metadata.namespace !== '' && pod.metadata.namespace !== namespace)
    throw new Denied(`metadata.namespace: expected ${namespace}, the namespace of the request, found ${pod.metadata.namespace}`);
  const known = metered(context.known);
  const injection = injectionOptionsOf(pod, mode, settings.platformLabel);
  const usesOf = (each: Pod): readonly DatasetUse[] => usesIn(each, namespace, known);
  if (mode === 'serverless') requireKnown(pod, namespace, known);
  const uses = usesOf(pod);
  const admission: Admission = { namespace, injection, known, settings, uses, usesOf, random, warn };
  const chains = profile[mode];
  const chain = uses.length > 0 ? chains.withDataset : chains.withoutDataset;
  try {
    return chain.reduce((changed, plugin) => plugin(changed, admission), pod);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    if (mode === 'serverless') throw new Denied(error.message);
    warn(`${error.message}; the pod gets no hints for the scheduler`);
    return pod;
  }
}

/** Names of the claims of a pod, sorted, each once. */
const claimsOf = ({ spec }: Pod): readonly string[] =>
  [...new Set((spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []))].toSorted();

const usesIn = (pod: Pod, namespace: string, known: KnownObjects): readonly DatasetUse[] =>
  claimsOf(pod).flatMap((claim) => {
    const name = known.claim(namespace, claim)?.dataset;
    const dataset = name === undefined ? undefined : known.dataset(namespace, name);
    return dataset ? [{ claim, dataset }] : [];
  });

/** A claim that does not exist may become a Dataset's before the pod starts, which would then start without its client. */
function requireKnown(pod: Pod, namespace: string, known: KnownObjects): void {
  const stale = claimsOf(pod).filter((name) => known.claim(namespace, name)?.isStale);
  if (stale.length > 0)
    throw new Denied(
      `the pod asks for sidecars, which need to know its claims: ${stale.map((name) => `PersistentVolumeClaim ${namespace}/${name}`).join(', ')} ` +
        'may be of a Dataset meanwhile.',
      stale.map((name) => ({ kind: 'claim', namespace, name })),
    );
  const missing = claimsOf(pod).filter((name) => known.claim(namespace, name) === undefined);
  const unbound = claimsOf(pod).flatMap((name) => {
    const dataset = known.claim(namespace, name)?.dataset;
    // The claim that a Dataset caches carries its label too, and has another name.
    return dataset === name && known.dataset(namespace, dataset) === undefined ? [dataset] : [];
  });
  if (missing.length + unbound.length === 0) return;
  const unknown: Unknown[] = [
    ...missing.map((name) => ({ kind: 'claim' as const, namespace, name })),
    ...unbound.map((name) => ({ kind: 'dataset' as const, namespace, name })),
  ];
  const what = [
    ...missing.map((name) => `PersistentVolumeClaim ${namespace}/${name} does not exist${whyNoClaim(known.dataset(namespace, name))}`),
    ...unbound.map((name) => `Dataset ${namespace}/${name} does not exist`),
  ];
  throw new Denied(
    `the pod asks for sidecars, which need to know its claims: ${what.join('; ')}. Create the pod when the Dataset is bound; a Job or a ` +
      'ReplicaSet tries again by itself.',
    unknown,
  );
}

/** Why a claim does not exist yet: the phase of the Dataset with its name. */
function whyNoClaim(dataset: KnownDataset | undefined): string {
  if (!dataset) return '';
  const { phase, notReady } = dataset;
  return `, its Dataset is ${phase === '' ? 'NotBound' : phase}${notReady ? `: ${notReady}` : ''}`;
}
