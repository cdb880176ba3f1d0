import type { Clock } from '../../../kube/clock.ts';
import { managerOf, type ObjectMeta } from '../../../api/index.ts';
import type { ClaimFact } from '../../../constructs/index.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { isNotFound } from '../../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../../kube/types.ts';
import type { Reason } from '../../../planning/reasons.ts';
import type { Hold } from '../../world.ts';
import { ownedKinds, Secret } from '../../../planning/kinds.ts';
import { claimFact, dataKeys } from '../../../planning/named-objects.ts';
import { type Asker, createLookupMemory, retryAfterMs } from './lookup-memory.ts';
import { createNeededSecrets, type ReadNeededSecret } from './needed-secrets.ts';

/** Reads by name of what is neither listed nor watched: Secrets, and the claims and ConfigMaps of users. */
export interface Lookups {
  /** A Secret that `needs` name (needed-secrets.ts). */
  readonly secret: ReadNeededSecret;
  /** A claim and the volume that it is bound to; a Hold while one of them is missing. */
  claim(namespace: string, name: string, asker: Asker): Promise<ClaimFact | Hold>;
  /** The keys of a ConfigMap, sorted; a Hold while it is missing. */
  keys(namespace: string, name: string, asker: Asker): Promise<readonly string[] | Hold>;
  /** The value of the label `fluid.io/managed-by` of a claim that was found. */
  manager(uid: string, claim: string): string | undefined;
  /** The claim's label was written since. */
  managed(uid: string, claim: string, by: string): void;
  /**
   * No plan accepts what was found. Returns in how many ms it is looked up again, with back-off; undefined when nothing was looked up, so
   * that only an edit can help.
   */
  refused(asker: Asker): number | undefined;
  /** A plan accepts what was found. */
  accepted(uid: string): void;
  /** Forgets everything about this runtime. */
  forget(uid: string): void;
}

export function createLookups(client: KubeClient, clock: Pick<Clock, 'monotonic' | 'wall'>): Lookups {
  const memory = createLookupMemory(clock);
  const orNothing = (type: ResourceType, where: { namespace?: string; name: string }): Promise<KubeObject | undefined> =>
    client.get(type, where).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });

  /** Retried with back-off until it is found; then good for as long as the specs are the same. */
  async function awaited<T extends ClaimFact | readonly string[]>(
    asker: Asker,
    question: string,
    reason: Reason,
    look: () => Promise<{ readonly found: T; readonly manager?: string | undefined } | { readonly missing: string }>,
  ): Promise<T | Hold> {
    const answers = memory.answersFor(asker);
    const before = answers.get(question);
    // The cast: answers to one question are of one kind.
    if (before && !('missing' in before.state)) return before.state as T;
    const waitMs = before && 'missing' in before.state ? before.at + before.state.retryMs - clock.monotonic() : 0;
    // Asked for another reason, before the next try is due.
    if (waitMs > 0) return { reason, message: before?.message ?? '', afterMs: waitMs };
    const tries = (before?.tries ?? 0) + 1;
    const seen = await look();
    if ('found' in seen) {
      answers.set(question, { state: seen.found, tries: 0, at: clock.monotonic(), manager: seen.manager });
      return seen.found;
    }
    const retryMs = retryAfterMs(tries);
    answers.set(question, { state: { missing: true, retryMs }, tries, at: clock.monotonic(), message: seen.missing });
    return { reason, message: seen.missing, afterMs: retryMs };
  }

  return {
    secret: createNeededSecrets((namespace, name) => orNothing(Secret, { namespace, name }), memory, clock),
    claim: (namespace, name, asker) =>
      awaited(asker, `claim/${name}`, 'ClaimNotBound', async () => {
        const claim = await orNothing(ownedKinds.PersistentVolumeClaim, { namespace, name });
        if (!claim) return { missing: `persistent volume claim ${name} not found` };
        const volumeName = (claim['spec'] as { volumeName?: string }).volumeName;
        const volume =
          volumeName && (claim['status'] as { phase?: string } | undefined)?.phase === 'Bound'
            ? await orNothing(ownedKinds.PersistentVolume, { name: volumeName })
            : undefined;
        if (!volume || !isVolumeOf(volume, { namespace, name, uid: claim.metadata.uid ?? '' }))
          return { missing: `persistent volume claim ${name} not bounded yet` };
        return { found: claimFact(claim, volume), manager: managerOf(claim) };
      }),
    keys: (namespace, name, asker) =>
      awaited(asker, `configmap/${name}`, 'ConfigMapNotFound', async () => {
        const object = await orNothing(ownedKinds.ConfigMap, { namespace, name });
        return object ? { found: dataKeys(object) } : { missing: `ConfigMap ${name} does not exist` };
      }),
    manager: (uid, claim) => memory.answer(uid, `claim/${claim}`)?.manager,
    managed(uid, claim, by) {
      const answer = memory.answer(uid, `claim/${claim}`);
      if (answer) answer.manager = by;
    },
    refused: memory.refused,
    accepted: memory.accepted,
    forget: memory.forget,
  };
}

/** Whether the volume names the claim too: a claim's own text must not lead to the volume, and the Secrets, of another tenant. */
function isVolumeOf(volume: KubeObject, { namespace, name, uid }: ObjectMeta): boolean {
  const { claimRef } = volume['spec'] as {
    readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
  };
  return claimRef?.uid === uid && claimRef?.name === name && claimRef?.namespace === namespace;
}
