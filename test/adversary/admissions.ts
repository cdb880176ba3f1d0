import type { KubeObject } from '../../src/kube/types.ts';
import { Denied } from '../../src/webhook/denied.ts';
import type { KnownObjects } from '../../src/webhook/known.ts';
import { metered, TooMuch } from '../../src/webhook/metered.ts';
import { mutate } from '../../src/webhook/mutate.ts';
import { plugins } from '../../src/webhook/plugins/index.ts';
import type { Pod } from '../../src/webhook/pod.ts';
import { defaultProfile } from '../../src/webhook/profile/default-profile.ts';
import { parseProfile } from '../../src/webhook/profile/parse.ts';
import type { World } from './world.ts';

const profile = parseProfile(defaultProfile, plugins);
const settings = { disabled: false, nativeSidecars: true, prefetcher: { image: 'example.io/sluice', isOurs: true } };

/** The webhook's pod for one that reads a claim and asks for a sidecar; undefined when it is denied. */
export const admitted = (world: World, namespace: string, claimName: string): Pod | undefined =>
  admittedPod(world, namespace, {
    metadata: { name: 'p', labels: { 'serverless.fluid.io/inject': 'true' } },
    spec: {
      containers: [{ name: 'c', image: 'example.io/app', volumeMounts: [{ name: 'd', mountPath: '/d' }] }],
      volumes: [{ name: 'd', persistentVolumeClaim: { claimName } }],
    },
  });

/** The same of a pod that exists, if it had asked for sidecars. */
export const readmitted = (world: World, { metadata: { namespace = '', name, labels, annotations }, spec }: KubeObject): Pod | undefined =>
  admittedPod(world, namespace, {
    metadata: { name, labels: { ...labels, 'serverless.fluid.io/inject': 'true' }, ...(annotations && { annotations }) },
    // The cast: the API server has checked it.
    spec: spec as Pod['spec'],
  });

/** Limits of one admission: objects that it asks for, and bytes of the pod that it makes. */
const MOST = { lookups: 100, bytes: 1024 * 1024 };

/** @throws Error when it did more work than an admission may */
function admittedPod({ webhook }: World, namespace: string, pod: Pod): Pod | undefined {
  let lookups = 0;
  try {
    const known = metered(counting(webhook.known, () => lookups++));
    const made = mutate({ pod, namespace }, { known, settings, profile, random: () => '0123456789ab', warn: () => {} });
    const bytes = JSON.stringify(made).length;
    if (lookups > MOST.lookups || bytes > MOST.bytes)
      throw new Error(`an admission asked for ${lookups} objects and made a pod of ${bytes} bytes`);
    return made;
  } catch (error) {
    if (error instanceof Denied || error instanceof TooMuch) return undefined;
    throw error;
  }
}

function counting(known: KnownObjects, count: () => void): KnownObjects {
  return {
    claim: (...path) => (count(), known.claim(...path)),
    dataset: (...path) => (count(), known.dataset(...path)),
    runtime: (...path) => (count(), known.runtime(...path)),
    fuse: (...path) => (count(), known.fuse(...path)),
    volume: (...path) => (count(), known.volume(...path)),
  };
}
