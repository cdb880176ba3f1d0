/** Columns of what stores data. Rule: kubernetes/pkg/printers/internalversion. */
import type { KubeObject } from '../../../kube/types.ts';
import { ageColumn, column, joined, nameColumn, quantityText, type TableColumn, wide } from './columns.ts';
import { at, listAt, textAt } from './read.ts';

const MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;
const modesText = (modes: readonly unknown[]): string => MODES.flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(',');

const unset = (value: unknown): string => (value === undefined ? '<unset>' : textAt({ value }, 'value'));
const flag = (value: unknown, otherwise = false): boolean => (typeof value === 'boolean' ? value : otherwise);
const phaseOf = (object: KubeObject): string =>
  at(object, 'metadata', 'deletionTimestamp') === undefined ? textAt(object, 'status', 'phase') : 'Terminating';
const classOf = (object: KubeObject): string =>
  textAt(object, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class') || textAt(object, 'spec', 'storageClassName');
const attributesClass = column('VolumeAttributesClass', (object) => unset(at(object, 'spec', 'volumeAttributesClassName')));
const volumeMode = wide('VolumeMode', (object) => unset(at(object, 'spec', 'volumeMode')));
const storageClassColumn = column('StorageClass', classOf);

export const persistentVolume: readonly TableColumn[] = [
  nameColumn,
  column('Capacity', (object) => quantityText(at(object, 'spec', 'capacity', 'storage'))),
  column('Access Modes', (object) => modesText(listAt(object, 'spec', 'accessModes'))),
  column('Reclaim Policy', (object) => textAt(object, 'spec', 'persistentVolumeReclaimPolicy')),
  column('Status', phaseOf),
  column('Claim', (object) => {
    const claim = at(object, 'spec', 'claimRef');
    return claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
  }),
  storageClassColumn,
  attributesClass,
  column('Reason', (object) => textAt(object, 'status', 'reason')),
  ageColumn,
  volumeMode,
];

const isBound = (object: KubeObject): boolean => textAt(object, 'spec', 'volumeName') !== '';

export const persistentVolumeClaim: readonly TableColumn[] = [
  nameColumn,
  column('Status', phaseOf),
  column('Volume', (object) => textAt(object, 'spec', 'volumeName')),
  column('Capacity', (object) => (isBound(object) ? quantityText(at(object, 'status', 'capacity', 'storage')) : '')),
  column('Access Modes', (object) => (isBound(object) ? modesText(listAt(object, 'status', 'accessModes')) : '')),
  storageClassColumn,
  attributesClass,
  ageColumn,
  volumeMode,
];

const isDefault = (object: KubeObject): boolean =>
  ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'].some(
    (key) => at(object, 'metadata', 'annotations', key) === 'true',
  );

export const storageClass: readonly TableColumn[] = [
  { ...nameColumn, cell: (object) => `${object.metadata.name}${isDefault(object) ? ' (default)' : ''}` },
  column('Provisioner', (object) => textAt(object, 'provisioner')),
  column('ReclaimPolicy', (object) => textAt(object, 'reclaimPolicy') || 'Delete'),
  column('VolumeBindingMode', (object) => textAt(object, 'volumeBindingMode') || 'Immediate'),
  column('AllowVolumeExpansion', (object) => flag(at(object, 'allowVolumeExpansion'))),
  ageColumn,
];

const flagColumn = (name: string, field: string, otherwise = false): TableColumn =>
  column(name, (object) => flag(at(object, 'spec', field), otherwise), { type: 'boolean' });

export const csiDriver: readonly TableColumn[] = [
  nameColumn,
  flagColumn('AttachRequired', 'attachRequired', true),
  flagColumn('PodInfoOnMount', 'podInfoOnMount'),
  flagColumn('StorageCapacity', 'storageCapacity'),
  column('TokenRequests', (object) => {
    const requests = at(object, 'spec', 'tokenRequests');
    return requests === undefined ? '<unset>' : joined(listAt(object, 'spec', 'tokenRequests'), 'audience');
  }),
  flagColumn('RequiresRepublish', 'requiresRepublish'),
  column('Modes', (object) => listAt(object, 'spec', 'volumeLifecycleModes').map(String).join(',') || '<none>'),
  ageColumn,
];
