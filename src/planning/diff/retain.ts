import type { Manifest } from '../../api/index.ts';
import { differencesIn } from './compare.ts';
import type { LiveObject } from '../objects.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A change of an existing object that Kubernetes does not allow. */
export interface ImmutableChange {
  readonly object: string;
  readonly path: string;
  readonly live: unknown;
  readonly desired: unknown;
}

/** Spec fields that may change after creation; for a kind that is not listed, all. Source: the validation of each kind in Kubernetes 1.34. */
const MUTABLE: Readonly<Record<string, readonly string[]>> = {
  StatefulSet: [
    'replicas',
    'ordinals',
    'template',
    'updateStrategy',
    'revisionHistoryLimit',
    'persistentVolumeClaimRetentionPolicy',
    'minReadySeconds',
  ],
  DaemonSet: ['template', 'updateStrategy', 'revisionHistoryLimit', 'minReadySeconds'],
  PersistentVolume: ['accessModes', 'capacity', 'claimRef', 'persistentVolumeReclaimPolicy', 'storageClassName', 'mountOptions'],
  PersistentVolumeClaim: [],
  // More could change; a Job that exists runs as it was created.
  Job: [],
};

/** Fluid gave the volume of a reference the handle of the other volume, and both work: what exists keeps its handle. */
const HANDLE = 'spec.csi.volumeHandle';

/** Fields that the API server or a binder fills in when they are not sent: the spec has not lost them. */
const FILLED_IN: Readonly<Record<string, readonly string[]>> = {
  StatefulSet: ['podManagementPolicy'],
  PersistentVolume: ['volumeMode'],
  PersistentVolumeClaim: ['volumeMode', 'volumeName', 'storageClassName', 'dataSource', 'dataSourceRef'],
};

/**
 * Takes immutable fields from the live object, so that everything else can still be applied, and reports those that would have changed or
 * been removed. Pods keep every label that an existing selector names.
 */
export function retain(
  desired: Manifest,
  live: LiveObject,
): { readonly manifest: Manifest; readonly immutable: readonly ImmutableChange[] } {
  if (desired.kind === 'RoleBinding') return retainRoleRef(desired, live);
  const mutable = MUTABLE[desired.kind];
  if (!mutable) return { manifest: desired, immutable: [] };
  const wanted = desired['spec'] as Fields;
  const existing = live['spec'] as Fields;
  const spec: Record<string, unknown> = {};
  const immutable: ImmutableChange[] = [];
  for (const [field, value] of Object.entries(wanted)) {
    if (mutable.includes(field)) {
      spec[field] =
        field === 'template'
          ? withSelectorLabels(value as Fields, existing)
          : field === 'claimRef'
            ? withClaimUid(value as Fields, existing['claimRef'] as Fields | undefined)
            : value;
      continue;
    }
    // An immutable field that is absent cannot be added either.
    if (existing[field] !== undefined) spec[field] = existing[field];
    // A workload keeps its own selector; its pods keep the labels for it.
    if (field !== 'selector')
      immutable.push(...changes(desired, 'spec.', { [field]: value }, { [field]: existing[field] }).filter(({ path }) => path !== HANDLE));
  }
  for (const [field, value] of Object.entries(existing)) {
    if (field in wanted || mutable.includes(field) || FILLED_IN[desired.kind]?.includes(field)) continue;
    // Apply removes a field of ours that is no longer sent.
    spec[field] = value;
    if (field !== 'selector')
      immutable.push({ object: `${desired.kind}/${desired.metadata.name}`, path: `spec.${field}`, live: value, desired: undefined });
  }
  return { manifest: { ...desired, spec }, immutable };
}

/** The claim's UID was written after the manifest, when the volume was bound; an apply without it would remove what our create sent. */
const withClaimUid = (reference: Fields, existing: Fields | undefined): Fields =>
  existing?.['uid'] && existing['name'] === reference['name'] && existing['namespace'] === reference['namespace']
    ? { ...reference, uid: existing['uid'] }
    : reference;

/** Labels that an adopted workload selects by, such as helm's `chart`, stay on its pods. */
function withSelectorLabels(template: Fields, existing: Fields): Fields {
  const selected = (existing['selector'] as { matchLabels?: Fields } | undefined)?.matchLabels ?? {};
  const metadata = template['metadata'] as { labels?: Fields };
  return { ...template, metadata: { ...metadata, labels: { ...metadata.labels, ...selected } } };
}

function retainRoleRef(desired: Manifest, live: LiveObject) {
  const roleRef = live['roleRef'];
  return { manifest: { ...desired, roleRef }, immutable: changes(desired, '', { roleRef: desired['roleRef'] }, { roleRef }) };
}

const changes = ({ kind, metadata: { name } }: Manifest, above: string, wanted: Fields, existing: Fields): readonly ImmutableChange[] =>
  differencesIn(wanted, existing).map(({ path, desired, live }) => ({ object: `${kind}/${name}`, path: above + path, desired, live }));
