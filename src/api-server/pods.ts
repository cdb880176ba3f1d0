/** The fields of pods that controllers read and write. */
import type { PodStatus } from '../api/index.ts';
import type { KubeObject } from '../kube/types.ts';

const statusOf = ({ status }: KubeObject): PodStatus => (status ?? {}) as PodStatus;

export const phaseOf = (pod: KubeObject): string | undefined => statusOf(pod).phase;

/** Whether all its containers have ended, for good. */
export const hasEnded = (pod: KubeObject): boolean => ['Succeeded', 'Failed'].includes(phaseOf(pod) ?? '');

export const isReady = (pod: KubeObject): boolean =>
  (statusOf(pod).conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');

/** The owner reference of what a controller creates for an object. */
export const ownerOf = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** Letters and digits that tell contents apart, in names. */
export function digestOf(content: unknown): string {
  const text = JSON.stringify(content);
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
  return hash.toString(36);
}

/** Any address of a network of 16 bits, such as `10.0`; the same for a pod each time. */
export function addressOf({ metadata: { uid = '' } }: KubeObject, network: string): string {
  const number = [...uid].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_536, 0);
  return `${network}.${number >> 8}.${number & 255}`;
}
