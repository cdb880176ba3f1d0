import { createHash } from 'node:crypto';
import {
  annotation,
  canonicalQuantity,
  datasetId,
  fuseNodeLabel,
  GROUP,
  InvalidSpec,
  publishMethodOf,
  label,
  shown,
  storageRequestOf,
  VERSION,
} from '../api/index.ts';
import type { BaseChoices, BasePlan, Facts, FusePlan, PlanInput } from './contract.ts';
import { metadataLists, withReference } from './metadata-list.ts';
import { cleanPolicyWarnings, ignored, warningsOf } from './warnings.ts';

const DEFAULT_STORAGE = '100Pi';

/**
 * The part of a plan that is the same for every runtime: paths, identity, placement, the volume. A runtime's plan spreads it and adds its
 * own fields. threat-model: R-request
 * @throws InvalidSpec when the Dataset has an access mode that Kubernetes does not know.
 * @example
 * interface AcmePlan extends BasePlan {
 *   readonly image: string;
 * }
 * const plan = (input: PlanInput<{ readonly version?: string }>): AcmePlan => ({
 *   ...basePlan(input, { mountType: 'fuse.acme', mountDir: 'acme-fuse' }),
 *   image: `acme:${input.spec.version ?? '1.4'}`,
 * });
 */
export function basePlan(input: PlanInput<unknown>, choices: BaseChoices): BasePlan & { readonly fuse: FusePlan } {
  const { name, namespace, uid, dataset, settings, annotations, facts } = input;
  const { kind, type, engine, workloads } = input.runtime;
  const { app = type, mountType, mountDir, mountAt, isMount = true, fuseNodeSelector = {} } = choices;
  const hostPath = `${settings.mountRoot}/${type}/${namespace}/${name}`;
  const mountPath = `${hostPath}/${mountDir}`;
  const { placement, nodeAffinity, tolerations, accessModes } = dataset.spec;
  const { warnings, ...users } = metadataLists(annotations[annotation.metadataList]);
  const metadata = facts.reference ? withReference(users, facts.reference) : users;
  const storage = storageOf(storageRequestOf(dataset.annotations));
  checkAccessModes(accessModes, `Dataset ${namespace}/${name}`);
  const modes = accessModes?.length ? accessModes : ['ReadOnlyMany'];
  const skipCheck = annotations[annotation.skipMountCheck] || (isMount ? undefined : 'MountPod');
  return {
    type,
    engine,
    app,
    workloads,
    name,
    namespace,
    owner: { apiVersion: `${GROUP}/${VERSION}`, kind, name, uid },
    dataset: dataset.identity,
    hostPath,
    mountPath,
    replicas: {},
    placement: placement === 'Shared' ? 'Shared' : 'Exclusive',
    ...(nodeAffinity?.required && { nodeAffinity: nodeAffinity.required }),
    tolerations: tolerations ?? [],
    imagePullSecrets: settings.imagePullSecrets,
    fuse: {
      hostPid: annotations[annotation.fuseHostPid] === 'true',
      critical: settings.criticalFusePod,
      nodeSelector: fuseNodeSelector,
      ...(mountAt !== undefined && { mountAt }),
      ...(!isMount && { isMount }),
    },
    volume: {
      mountType,
      accessModes: modes,
      storage: storage ?? DEFAULT_STORAGE,
      attributes: {
        fluid_path: mountPath,
        mount_type: mountType,
        runtime_namespace: namespace,
        runtime_name: name,
        mount_pod_node_selector_key: fuseNodeLabel(dataset.identity),
        ...(skipCheck && { [annotation.skipMountCheck]: skipCheck }),
        ...(publishMethodOf(metadata.volume.labels) === 'symlink' && { node_publish_method: 'symlink' }),
      },
      metadata,
    },
    readOnly: modes.includes('ReadOnlyMany'),
    cacheOnNode: {},
    cleaning: { attempts: 5, graceSeconds: 60 },
    warnings: warningsOf(
      warnings,
      storage === undefined &&
        ignored(`Dataset: metadata.annotations[${annotation.storageRequest}]`, `expected a quantity; the volume says ${DEFAULT_STORAGE}`),
      cleanPolicyWarnings(input.spec),
    ),
  };
}

/**
 * The generation of the fuse pods, for the clean policy OnFuseChanged: one more than in the cluster if image or script changed. A template
 * without a hash, which Fluid created, counts as unchanged.
 * @example
 * const facts = planInput().facts;
 * nextGeneration({ ...facts, fuse: { image: 'acme:1', generation: 3 } }, 'acme:2'); // → 4
 */
export function nextGeneration({ fuse }: Facts, image: string, scriptHash?: string): number {
  if (!fuse) return 1;
  const isSame = fuse.image === image && (fuse.scriptHash === undefined || fuse.scriptHash === scriptHash);
  return isSame ? fuse.generation : fuse.generation + 1;
}

/**
 * 16 hexadecimal digits of the SHA-256 of a script: for `nextGeneration`, and for the annotation `scriptHash` of the pods that run it.
 * @example
 * hashOfScript('exec acme mount').length; // → 16
 */
export const hashOfScript = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Labels of every object of a runtime, by which users, charts and dashboards of Fluid find them. */
export const commonLabels = (plan: BasePlan): Readonly<Record<string, string>> => ({
  [label.owner]: plan.owner.uid,
  ...podCommonLabels(plan),
});
/** The same without the UID of the owner: a pod template with it would differ after a take-over from Fluid. */
export const podCommonLabels = (plan: BasePlan): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': plan.app,
  'app.kubernetes.io/instance': plan.name,
  'app.kubernetes.io/managed-by': 'sluice',
  [label.managedBy]: 'fluid',
  [label.datasetId]: datasetId(plan.dataset),
});

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** The API server would reject the volume, in the name of an object that no user wrote. */
function checkAccessModes(modes: readonly string[] = [], object: string): void {
  const faults = modes.flatMap((mode, i) =>
    ACCESS_MODES.includes(mode)
      ? []
      : [{ path: `spec.accessModes[${i}]`, expected: `one of ${ACCESS_MODES.join(', ')}`, found: shown(mode) }],
  );
  if (faults.length > 0) throw new InvalidSpec(faults, { object });
}

/** As in Fluid, a request that is no quantity does not stop the Dataset: the capacity of a FUSE volume has no effect. */
function storageOf(request: string | undefined): string | undefined {
  if (!request) return DEFAULT_STORAGE;
  try {
    return canonicalQuantity(request, annotation.storageRequest);
  } catch {
    return undefined;
  }
}
