import { type Static, Type } from 'typebox';
import * as k8s from './k8s.ts';
import { operationColumns, operationKind, type OperationStatus, targetDataset, whenFields } from './operation.ts';
import type { CustomResource, Resource } from './resource.ts';
import { described, imageFields, opt, podMetadata } from './schema.ts';
import * as fields from './fields.ts';

const dataset = Type.Object(
  {
    ...targetDataset.properties,
    mountPath: Type.String({ description: 'Where every container has the Dataset.' }),
    subPath: opt(Type.String({ description: 'Path in the Dataset that is mounted; the whole Dataset when absent.' })),
  },
  { description: 'The Dataset that is processed.' },
);

const script = Type.Object(
  {
    ...imageFields,
    restartPolicy: opt(
      Type.Enum(['Never', 'OnFailure'], { description: 'Whether the kubelet runs a failed script again.', default: 'Never' }),
    ),
    command: opt(
      Type.Array(Type.String(), { description: "Interpreter of the script: bash. Needed unless the image's entrypoint is a shell." }),
    ),
    source: Type.String({ description: 'The script.' }),
    env: opt(described(Type.Array(k8s.EnvVar), 'Environment of the script.')),
    volumes: opt(described(Type.Array(k8s.Volume), 'Further volumes of the pod.')),
    volumeMounts: opt(described(Type.Array(k8s.VolumeMount), 'Where the container has these.')),
    resources: opt(fields.resources),
  },
  { description: 'Runs a script in one container.' },
);

const processor = Type.Object(
  {
    serviceAccountName: opt(Type.String({ description: 'Service account of the pod.' })),
    podMetadata: opt(podMetadata),
    job: opt(
      Type.Object({ podSpec: opt(described(k8s.PodSpec, 'The pod.')) }, { description: 'Runs a pod of the user: either this or script.' }),
    ),
    script: opt(script),
  },
  { description: 'The script or the pod that processes the data.' },
);

export const dataProcessSpec = Type.Object(
  { dataset, processor, ...whenFields },
  { description: 'Which data to process, by what, and when.' },
);
export type DataProcessSpec = Static<typeof dataProcessSpec>;

/** The kind DataProcess: runs a script or a pod of the user on the data of a Dataset. */
export const DataProcess = {
  ...operationKind,
  kind: 'DataProcess',
  plural: 'dataprocesses',
  description: 'Processes data of a Dataset.',
  columns: [{ name: 'Dataset', type: 'string', jsonPath: '.spec.dataset.name' }, ...operationColumns],
  spec: dataProcessSpec,
} as const satisfies CustomResource;
export type DataProcess = Resource<DataProcessSpec, OperationStatus>;
