import {
  annotation,
  type DatasetSpec,
  InvalidSpec,
  parseReference,
  referenceIn,
  storageRequestOf,
  type ThinRuntimeSpec,
} from '../../src/api/index.ts';
import {
  type BasePlan,
  basePlan,
  type EngineStatus,
  must,
  type Needs,
  type PlanInput,
  type ReferenceFact,
  unread,
  type Warning,
} from '../../src/constructs/index.ts';

/** The plan of a ThinRuntime without a profile: it has no pods, and its volume leads to where the volume of another Dataset leads. */
export interface ReferencePlan extends BasePlan {
  readonly shows: Pick<EngineStatus, 'unavailable'> & Required<Pick<EngineStatus, 'mirrored'>>;
}

type Input = PlanInput<ThinRuntimeSpec>;

export const isReference = ({ dataset }: Pick<Input, 'dataset'>): boolean => referenceIn(dataset.spec) !== undefined;

export function referenceNeeds(input: Input): Needs {
  const { namespace, name } = referenceOf(input);
  // Before another Dataset is waited for.
  checked(input);
  return { reference: { namespace, name } };
}

export function referencePlan(input: Input): ReferencePlan {
  const { dataset, facts } = input;
  const { subPath } = referenceOf(input);
  checked(input);
  // The controller answers what is needed, or does not plan.
  const found = facts.reference as ReferenceFact;
  const { fuse: _, ...base } = basePlan({ ...input, spec: {} }, { mountType: '', mountDir: 'none' });
  const { volumeAttributes = {} } = found.volume.csi ?? {};
  const { fluid_path: mountPath = '', mount_type: mountType = '', [PUBLISH_METHOD]: method, ...attributes } = volumeAttributes;
  const ownMethod = base.volume.attributes[PUBLISH_METHOD] ?? method;
  return {
    ...base,
    mountPath,
    volume: {
      ...base.volume,
      mountType,
      accessModes: accessModes(dataset.spec, found),
      storage: storageRequestOf(dataset.annotations) ? base.volume.storage : (found.volume.capacity?.['storage'] ?? base.volume.storage),
      attributes: {
        ...attributes,
        fluid_path: mountPath,
        mount_type: mountType,
        ...(ownMethod && { [PUBLISH_METHOD]: ownMethod }),
        ...(subPath && { fluid_sub_path: subPath }),
      },
      ...(found.volume.nodeAffinity && { nodeAffinity: found.volume.nodeAffinity }),
    },
    shows: shown(input, found),
    warnings: [...base.warnings, ...unused(dataset.spec), ...ungranted(input, found)],
  };
}
const PUBLISH_METHOD = 'node_publish_method';

function checked({ spec }: Input): void {
  must(!spec.profileName, 'spec.profileName', 'none, since the Dataset refers to another one', spec.profileName);
  must(!spec.worker?.enabled, 'spec.worker.enabled', 'false, since the Dataset refers to another one', spec.worker?.enabled);
}

function referenceOf({ namespace, name, dataset }: Input) {
  const mountPoint = referenceIn(dataset.spec) ?? '';
  const parsed = parseReference(mountPoint);
  if ('expected' in parsed)
    throw new InvalidSpec({ path: 'spec.mounts[0].mountPoint', ...parsed }, { object: `Dataset ${namespace}/${name}` });
  return parsed;
}

/** As in Fluid, what the other volume does not allow is not allowed here, and who says nothing only reads. */
const accessModes = ({ accessModes: own }: DatasetSpec, { volume }: ReferenceFact): readonly string[] =>
  !own?.length || volume.accessModes?.includes('ReadOnlyMany') ? ['ReadOnlyMany'] : own;

function shown({ dataset }: Input, found: ReferenceFact): ReferencePlan['shows'] {
  const { valueFile: _v, setupDuration: _s, observedGeneration: _o, ...runtime } = found.runtime.status;
  const { status, mounts, unavailable } = found.dataset;
  return {
    mirrored: {
      dataset: { ...status, mounts: mounts.map((mount) => ({ ...mount })) },
      runtime: { ...runtime, mounts: dataset.spec.mounts ?? [] },
    },
    ...(unavailable !== undefined && { unavailable }),
  };
}

/** How the data is read is decided by the other Dataset. */
function unused(dataset: DatasetSpec): readonly Warning[] {
  const why = 'has no effect, since the Dataset refers to another one';
  const readOnly = `${why}; spec.accessModes says whether pods may write`;
  return [
    ...unread(dataset.mounts?.[0], 'Dataset: spec.mounts[0]', {
      path: why,
      options: why,
      encryptOptions: why,
      readOnly,
      shared: why,
    }),
    ...unread(dataset, 'Dataset: spec', { sharedOptions: why, sharedEncryptOptions: why }),
  ];
}

/** The controller does not plan without consent; `sluice synth` and `sluice diff` do. */
function ungranted({ namespace }: Input, { consent, dataset: { identity } }: ReferenceFact): readonly Warning[] {
  if (identity.namespace === namespace || (consent !== undefined && consent !== 'fluid')) return [];
  const [why, which] = consent
    ? ['The reference is kept, since Fluid had set it up.', 'should list']
    : ['Unless the installation is open, the controller waits for that.', 'has to list'];
  return [
    {
      reason: 'ReferenceNotGranted',
      message:
        `Dataset ${identity.namespace}/${identity.name} does not allow namespace ${namespace}. ${why} ` +
        `The owner of that Dataset ${which} ${namespace} in its annotation ${annotation.sharedWith}`,
    },
  ];
}
