import { Construct } from 'constructs';
import { annotation, cacheNodeLabel, claimName, csiDriver, label, type Manifest, volumeName } from '../api/index.ts';
import { commonLabels } from './base-plan.ts';
import type { BasePlan, ObjectLabels } from './contract.ts';
import { PlainObject } from './plain-object.ts';

const STORAGE_CLASS = 'fluid';

/** The PersistentVolume through which application pods reach a dataset; the same for every runtime. */
export class DatasetVolumeObjects extends Construct {
  constructor(scope: Construct, plan: BasePlan) {
    super(scope, 'volume');
    const name = volumeName(plan.dataset);
    // Sorted: the node affinity of a volume cannot change later.
    const selectors = Object.entries(plan.fuse?.nodeSelector ?? {})
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => ({ key, operator: 'In', values: [value] }));
    new PlainObject(this, 'pv', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, ...metadataOf(plan, plan.volume.metadata.volume) },
      spec: {
        accessModes: plan.volume.accessModes,
        capacity: { storage: plan.volume.storage },
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: plan.namespace, name: claimName(plan.dataset) },
        csi: { driver: csiDriver, volumeHandle: name, volumeAttributes: plan.volume.attributes },
        // Pods can run only where the fuse pod can.
        nodeAffinity:
          plan.volume.nodeAffinity ??
          (selectors.length > 0 ? { required: { nodeSelectorTerms: [{ matchExpressions: selectors }] } } : undefined),
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: STORAGE_CLASS,
      },
    });
  }
}

export class DatasetClaim extends Construct {
  constructor(scope: Construct, plan: BasePlan) {
    super(scope, 'claim');
    const { labels, annotations } = metadataOf(plan, plan.volume.metadata.claim);
    const generation = plan.fuse?.generation;
    new PlainObject(this, 'pvc', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: claimName(plan.dataset),
        labels: { ...labels, ...(generation !== undefined && { [label.fuseGeneration]: String(generation) }) },
        annotations,
      },
      spec: {
        accessModes: plan.volume.accessModes,
        resources: { requests: { storage: plan.volume.storage } },
        storageClassName: STORAGE_CLASS,
        volumeName: volumeName(plan.dataset),
      },
    });
  }
}

/** threat-model: keeps */
const metadataOf = (plan: BasePlan, user: ObjectLabels): Required<Pick<Manifest['metadata'], 'labels' | 'annotations'>> => {
  const common = commonLabels(plan);
  return {
    labels: {
      ...user.labels,
      [cacheNodeLabel(plan.dataset)]: 'true',
      [label.datasetId]: common[label.datasetId] as string,
      [label.owner]: plan.owner.uid,
    },
    annotations: { ...user.annotations, [annotation.createdBy]: 'fluid' },
  };
};
