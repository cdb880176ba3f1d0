/** Meanings of the conditions that say more than a reason. The reference of reasons and `sluice explain --reasons` are made of them. */
import type { conditionAdvice } from './condition-advice.ts';

/** The meaning of each condition of conditionAdvice, for a person who reads it. */
export const conditionMeanings = {
  MountsDiffer:
    'the engine accepted a change of these mounts without an error, and lists them otherwise, or not at all. The message names options but not their values. The controller retries each mount after 10 s, then with growing pauses, at least once an hour. A Dataset that was never bound waits for mounts that are missing',
  PlacementWaiting:
    'reason `NodesInUse`: the spec no longer selects or tolerates nodes on which pods mount the Dataset, so fuse pods stay there. The controller checks every 10 s. The annotation `data.fluid.io/fuse-placement: now` of the runtime removes them at once, and with them the file system of those pods',
  PodsOutdated:
    'these pods run an older template. The controller never restarts a cache or a mount by itself; ConfigMaps and accounts that only these pods use stay until they are deleted',
  PodsCrashing:
    'reason `ContainersEnd`: a container of these pods ended with an error, was started again, and is not ready, or has been ready for less than 30 s. The message has the end of its output, where the container keeps it; `kubectl logs --previous` has more',
  PodsPending:
    'for a minute, these pods of masters, workers or fuse have not started. Reason and message are those of Kubernetes: `ImagePullBackOff`, `Unschedulable`, `CreateContainerConfigError`',
  PodsRefused:
    'reason `FailedCreate`: for a minute, Kubernetes has created too few of these pods. The message has the latest event of each workload; whoever may write events in the namespace could have written that text. Kubernetes tries again after up to 17 minutes',
  DataUnavailable:
    'an engine or a store does not answer readers: `ReadsFail` if a look-up of a file fails or takes longer than 10 s, `RequestsFail` if clients of JuiceFS get errors of the object store',
  SpecWarning:
    'parts of the spec have no effect, or probably another effect than the author meant; the message names each. The rest is served. `sluice synth` and `sluice diff` report the same before you apply',
  ImmutableFieldChanged:
    'the spec asks for a change that Kubernetes does not allow on an existing object; the message has the old and the new value. Everything else of the object is applied. For a PersistentVolume delete the claim, once no pod mounts it: the volume follows',
  Failed: 'an operation failed, or can never run; the message has the end of what its last pod printed, or the wrong fields',
} as const satisfies Readonly<Record<keyof typeof conditionAdvice, string>>;
