import {
  type Container,
  type DatasetSpec,
  InvalidSpec,
  shown,
  type ThinRuntimeProfile,
  type ThinRuntimeSpec,
} from '../../src/api/index.ts';
import {
  base64,
  type BasePlan,
  basePlan,
  cacheByMedium,
  claimNames,
  claimOf,
  type Facts,
  type Mounted,
  mountsAlike,
  must,
} from '../../src/constructs/index.ts';
import { type Needs, joinedOptions, optionNeeds, type PlanInput, together } from '../../src/constructs/index.ts';
import { configText, secretOptionNames, STORAGE_ENV, storageOf } from './config.ts';
import { mountScript } from './mount-script.ts';
import { isReference, referenceNeeds, type ReferencePlan, referencePlan } from './reference.ts';
import { merged, profileNamed, profileWarnings, volumesOf } from './profile.ts';
import { cacheVolume, configVolumes, hostVolumes, type Policy, publishSecret, secretCopy, secretVolumes } from './volumes.ts';

export interface ThinPlan extends BasePlan {
  readonly fusePod: ThinPod;
  readonly worker?: ThinPod;
  /** The object that holds config.json. */
  readonly config: NonNullable<BasePlan['config']> & {
    readonly kind: 'ConfigMap' | 'Secret';
    readonly data: Readonly<Record<string, string>>;
  };
  readonly secretCopy?: ReturnType<typeof secretCopy>;
  readonly autoSync: boolean;
}
export type ThinPod = ReturnType<typeof merged> & { readonly mounted: readonly Mounted[]; readonly initContainers?: readonly Container[] };

type Input = PlanInput<ThinRuntimeSpec>;

export function needs(input: Input): Needs {
  const { name, spec, dataset, facts, settings } = input;
  if (isReference(input)) return referenceNeeds(input);
  if (!spec.profileName) return {};
  const publish = publishSecret(name, dataset.spec, facts, profileNamed(spec.profileName, facts)?.spec.nodePublishSecretPolicy);
  const inline = settings.env[STORAGE_ENV] === 'secret';
  return {
    objects: [{ kind: 'ThinRuntimeProfile', name: spec.profileName }],
    // Facts of the first claim suffice for a plan.
    claims: claimNames(dataset.spec).slice(0, 1),
    secrets: [
      ...optionNeeds(dataset.spec).map((need) => ({ ...need, inline })),
      ...(publish ? [publish.copyOf ? { ...publish.copyOf, inline: true } : { name: publish.name }] : []),
    ],
  };
}

export const plan = (input: Input): ThinPlan | ReferencePlan => (isReference(input) ? referencePlan(input) : clientPlan(input));

function clientPlan(input: Input): ThinPlan {
  const { name, namespace, spec, dataset, facts, settings } = input;
  const { spec: profile, metadata } = profileOf(spec, facts);
  const policy = profile.nodePublishSecretPolicy;
  const object = `Dataset ${namespace}/${name}`;
  validate(dataset.spec, facts, policy, object);
  const fuse = merged(profile, spec, 'fuse');
  const base = basePlan(input, {
    mountType: profile.fileSystemType,
    mountDir: 'thin-fuse',
    fuseNodeSelector: fuse.nodeSelector,
  });
  const inline = storageOf(settings) === 'secret';
  const { text, onHost } = together(
    {
      text: () => configText(dataset.spec, spec.fuse?.options, base, facts, inline),
      onHost: () => hostVolumes(dataset.spec),
    },
    object,
  );
  const script = mountScript(metadata, settings);
  // A config.json in a Secret does not say which values are secrets, and a program that turns options into arguments must know.
  const secretOptions = script && inline && { 'secret-options.json': JSON.stringify(secretOptionNames(dataset.spec)) };
  const files = { 'config.json': text, ...script?.files, ...secretOptions };
  const config = {
    name: `${name}-fuse-conf`,
    roles: ['fuse'] as const,
    ...(inline
      ? {
          kind: 'Secret' as const,
          type: 'Opaque',
          data: Object.fromEntries(Object.entries(files).map(([file, each]) => [file, base64(each)])),
        }
      : { kind: 'ConfigMap' as const, data: files }),
  };
  // The user's own preStop replaces the unmounting. A script with several mounts does that itself.
  const unmounting = script?.unmounts ? {} : { preStop: { exec: { command: ['umount', base.mountPath] } } };
  const lifecycle = { ...unmounting, ...profile.fuse?.lifecycle, ...spec.fuse?.lifecycle };
  must(!lifecycle.postStart, 'spec.fuse.lifecycle.postStart', 'none, here or in the profile', lifecycle.postStart);
  const options = joinedOptions({ ...(base.readOnly && { ro: '' }), ...fuse.options });
  const cache = cacheVolume(spec.tieredstore?.levels?.[0]?.path);
  const publish = publishSecret(name, dataset.spec, facts, policy);
  const volumes = volumesOf(profile, spec, 'fuse', onHost.mounted);
  return {
    ...base,
    config,
    fusePod: {
      ...fuse,
      // Last, since the client must mount where the CSI plugin looks.
      env: [...fuse.env, { name: 'MOUNT_POINT', value: base.mountPath }, ...(options ? [{ name: 'MOUNT_OPTIONS', value: options }] : [])],
      ...(Object.keys(lifecycle).length > 0 && { lifecycle }),
      ...(script && { command: fuse.command ?? script.command, initContainers: script.initContainers }),
      mounted: [
        ...cache,
        ...configVolumes(config, volumes),
        ...(script?.mounted ?? []),
        ...volumes,
        ...secretVolumes(dataset.spec, inline, publish),
      ],
    },
    ...(spec.worker?.enabled && {
      worker: { ...merged(profile, spec, 'worker'), mounted: [...cache, ...volumesOf(profile, spec, 'worker')] },
      replicas: { worker: spec.replicas ?? 1 },
      cacheOnNode: cacheByMedium(spec.tieredstore?.levels),
    }),
    ...(publish?.copyOf && { secretCopy: secretCopy(publish.mounted, publish.copyOf, facts) }),
    warnings: [...base.warnings, ...onHost.warnings, ...profileWarnings(profile, spec)],
    autoSync: spec.management?.metadataSyncPolicy?.autoSync === true,
  };
}

function profileOf({ profileName }: ThinRuntimeSpec, facts: Facts): ThinRuntimeProfile {
  const profile = profileNamed(profileName, facts);
  const expected = `the name of a ThinRuntimeProfile${profileName ? '' : ', since the Dataset refers to no other one'}`;
  must(profile, 'spec.profileName', expected, profileName || undefined);
  return profile;
}

/** Everything that is wrong with the mounts, at once. */
function validate(dataset: DatasetSpec, { claims }: Facts, policy: Policy, object: string): void {
  const [only] = claimNames(dataset);
  const faults = (dataset.mounts ?? []).flatMap(({ mountPoint }, i) => {
    const fault = (expected: string, found = shown(mountPoint)) => [{ path: `spec.mounts[${i}].mountPoint`, expected, found }];
    if (!mountPoint.startsWith('pvc://')) return [];
    const { claim, path } = claimOf(mountPoint) ?? {};
    if (!claim || path) return fault('pvc://<claim>, with no path after it');
    if (claim !== only) return fault('one claim at most in all mounts');
    const { csi, volume } = claims[claim] ?? {};
    if (!volume) return fault('a bound claim');
    return csi || policy === 'NotMountNodePublishSecret' ? [] : fault('a claim whose volume is of CSI', `volume ${volume} of another kind`);
  });
  const all = [...mountsAlike(dataset), ...faults];
  if (all.length > 0) throw new InvalidSpec(all, { object, reason: 'ErrorValidateSpecFields' });
}
