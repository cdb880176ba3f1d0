import type { KubeObject } from '../../../src/kube/types.ts';
import { WRITES } from '../../../src/api-server/rules.ts';
import type { WireRequest } from '../../../src/api-server/wire/requests.ts';
import type { Plan } from '../plan.ts';
import type { Process } from '../time.ts';
import type { World } from '../world.ts';
import { conditionsOf, isRivals } from './converged.ts';

/** Holds a world that has come to rest to being quiet. */
export interface RestCheck {
  /** Changes what no pass reads. */
  stir(): void;
  sent(process: Process, request: WireRequest, text: string): string | undefined;
  /** @param passes of all processes by now */
  passed(passes: number): string | undefined;
}

export function restCheck({ server }: World, plan: Plan, passesBefore: number): RestCheck {
  const objects = server.all();
  const isHeld = objects.some(isHeldByPods);
  const idOf = (namespace: string | undefined, name: string | undefined) => `${namespace}/${name}`;
  const rivals = new Set(objects.filter(isRivals).map(({ metadata: { namespace, name } }) => idOf(namespace, name)));
  /** An object that cannot be written is tried again. */
  const isRefused = objects.some((object) => conditionsOf(object).some(({ reason = '' }) => REFUSALS.has(reason)));
  /** Something waits, and looks again from time to time. */
  const isUnsettled = plan.probeMs > 0 || plan.secretMs > 0 || plan.denied !== undefined || isHeld || objects.some(isWaiting);

  return {
    stir() {
      for (const { kind, metadata } of server.all()) {
        if (!['Node', 'Dataset', 'ThinRuntime', 'JuiceFSRuntime', 'AlluxioRuntime'].includes(kind)) continue;
        const at = { type: server.typeOf(kind), namespace: metadata.namespace, name: metadata.name };
        const key = kind === 'Node' ? 'example.com/heartbeat' : 'kubectl.kubernetes.io/last-applied-configuration';
        server.objects.patch(at, 'merge', { metadata: { annotations: { [key]: 'again' } } }, { manager: 'kubelet' });
      }
    },
    /** A healthy cluster is left alone but for the lease, watches, and Secrets that are read again from time to time. */
    sent(process, { verb, type, namespace, name }, text) {
      if (type.kind === 'Lease' || verb === 'watch') return undefined;
      // Pods of users are not watched: while some keep an object from being deleted, or fuse pods on a node, they are listed every ten seconds.
      if (verb === 'list' && type.kind === 'Pod' && isHeld) return undefined;
      if (plan.denied !== undefined || isRefused) return undefined;
      if (type.kind === 'Secret' && rivals.has(idOf(namespace, name))) return undefined;
      return WRITES.includes(verb) || verb === 'list' ? `nothing happens, but ${process.name} sends ${text}` : undefined;
    },
    passed(passes) {
      return isUnsettled || passes === passesBefore
        ? undefined
        : `nothing happened that a pass reads, and there were ${passes - passesBefore} passes (S12, Q12)`;
    },
  };
}

const REFUSALS = new Set(['NameTaken', 'FieldConflict', 'ApplyFailed']);

const isHeldByPods = (object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined || conditionsOf(object).some(({ type }) => type === 'PlacementWaiting');

const isWaiting = (object: KubeObject): boolean => {
  const { phase } = (object['status'] ?? {}) as { phase?: string };
  const isOperation = ['DataLoad', 'DataProcess', 'DataMigrate', 'DataBackup'].includes(object.kind);
  if (isOperation) return phase !== 'Complete' && phase !== 'Failed';
  return conditionsOf(object).some(
    ({ type, status }) =>
      (type === 'Synced' && status === 'False') ||
      (type === 'NotReady' && status === 'True') ||
      type === 'DatasetTaken' ||
      type === 'MountsDiffer',
  );
};
