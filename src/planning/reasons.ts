/**
 * Why `Synced` of a runtime is False, `NotReady` of a Dataset True, or `Complete` of an operation False. The one list of these words:
 * conditions, events, log and metric take theirs from here, and docs/reference/reasons.md is generated from it.
 */
export interface Cause {
  /** The meaning of the reason, for a person who reads the condition. */
  readonly means: string;
  /** The action of that person. */
  readonly toDo: string;
  /** The same about an operation, where that differs from what to do about a runtime. */
  readonly toDoForOperation?: string;
  /** The reason ends without help, unless an error stands behind it: the controller reports it once it has lasted, and without an event. */
  readonly passing?: true;
  /** Phase of a Dataset that was bound; `unchanged`: it keeps its phase. By default its pods decide. */
  readonly phase?: 'Updating' | 'unchanged';
  /** An event reports it although it passes, since only the user who created the object can end it. */
  readonly hasEvent?: true;
  /** The API server's answer, which may be another one next time. */
  readonly isAnswer?: true;
  /** An object cannot be written, or read, until someone helps: operations that wait for their turn go first. */
  readonly isRefusal?: true;
  /** An operation cannot start yet, and holds no place in the line. */
  readonly isUnready?: true;
  /** Pods mount the Dataset, and read on. */
  readonly isServing?: true;
  /** Pods of this role are not ready: what holds them back says more. */
  readonly role?: 'master' | 'worker';
  /** The user asked for it: its event is no warning. */
  readonly isWanted?: true;
  /** Another writer was first: a retry ends it. */
  readonly isRace?: true;
  /** Only an edit by a person ends it: `Stalled` says so to kstatus. Any other cause may end without one: another controller creates the Secret. */
  readonly isStalling?: true;
  /** An operation fails for it: Fluid's reason of the event, if that is another one. */
  readonly refusalEvent?: string;
}

const PODS = {
  means: 'pods are not ready',
  toDo: '`sluice explain` says why, and `kubectl describe` of the pods, or of the StatefulSet while it has none: the image, the resources, the nodes that the placement allows, a quota, Pod Security',
  passing: true,
} as const;

export const causes = {
  InvalidSpec: {
    means: 'a field is wrong; the message names every fault with its field, what was expected and what was found',
    toDo: 'edit the field, or the Secret or claim that the message names; the controller reads these again within 30 s. What was bound [stays so](../troubleshooting.md#an-invalid-edit)',
    refusalEvent: 'DataOperationNotValid',
    isStalling: true,
  },
  DatasetNotFound: {
    means: 'no Dataset has the name of the runtime, or the Dataset that it refers to does not exist',
    toDo: 'create the Dataset',
    passing: true,
    hasEvent: true,
  },
  RuntimeNotFound: {
    means: 'no runtime has the name of the Dataset',
    toDo: 'create a runtime with that name in the same namespace',
    passing: true,
  },
  RuntimeDeleting: {
    means: 'a runtime of this name is still being deleted; the message says what delays that',
    toDo: 'nothing, unless it lasts',
    passing: true,
  },
  DatasetTaken: {
    means: 'another runtime of that name, of another kind, serves the Dataset: the one that served it already, else the older one',
    toDo: 'delete one of the two',
    isStalling: true,
  },
  SecretNotFound: {
    means: 'a Secret does not exist, or lacks the key that an option names; the message names both, and the field',
    toDo: 'create the Secret, or add the key; the controller retries after 0.5 s to 30 s',
  },
  ConfigMapNotFound: {
    means: 'a ConfigMap that the spec names does not exist',
    toDo: 'create it; the controller retries after 0.5 s to 30 s',
  },
  ThinRuntimeProfileNotFound: { means: 'the profile does not exist', toDo: 'create it' },
  CacheRuntimeClassNotFound: { means: 'the class does not exist', toDo: 'create it, or edit `spec.runtimeClassName`' },
  ClaimNotBound: { means: 'the claim behind a `pvc://` mount does not exist, or is not bound', toDo: 'see that claim' },
  DatasetNotBound: { means: 'the Dataset that the runtime refers to is not bound', toDo: 'see that Dataset' },
  ReferenceNotAllowed: {
    means:
      'a Dataset refers to one of another namespace that does not exist or does not allow it, to itself, or to one that refers to a third. Or an operation runs after one of another namespace that does not allow it',
    toDo: 'let the owner of the other Dataset list this namespace in its annotation `data.fluid.io/shared-with`. If that Dataset refers to a third one, refer to the third one directly',
    toDoForOperation: 'let the owner of the other one list this namespace in its annotation `data.fluid.io/followers`',
    isStalling: true,
  },
  LookupFailed: {
    means: 'the API server refused a request, such as for a Secret, or did not answer; the message is its answer',
    toDo: 'grant the right, if the message says that it is missing. The controller retries with back-off',
    isAnswer: true,
    isRefusal: true,
  },
  InternalError: {
    means: 'a defect of Sluice, or of the runtime of a vendor',
    toDo: 'report it with the log. The controller retries with back-off',
    isStalling: true,
  },
  PortsExhausted: {
    means: 'no host port of the range is free',
    toDo: 'widen `--runtime-node-port-range`, or use the container network',
  },
  MasterNotReady: { ...PODS, role: 'master' },
  WorkersNotReady: { ...PODS, role: 'worker' },
  NoLeader: {
    means: 'masters are ready, and none of them leads yet',
    toDo: 'nothing, unless it lasts: see the logs of the masters',
    passing: true,
    phase: 'unchanged',
  },
  MountsUnknown: {
    means: 'no master has reported its mounts',
    toDo: 'see the pod of the master, and the message',
    passing: true,
    phase: 'unchanged',
  },
  MountsChanging: {
    means: 'mounts are being changed',
    toDo: 'nothing, unless the message has an error of the engine',
    passing: true,
    phase: 'Updating',
  },
  MountsDiffer: {
    means: 'the engine accepted a mount, or an unmount, and lists it otherwise: see the condition of that name',
    toDo: 'see that condition',
    isStalling: true,
  },
  PlacementWaiting: {
    means: 'fuse pods stay on nodes that the spec no longer selects: see the condition of that name',
    toDo: 'see that condition',
  },
  VolumePending: {
    means: 'the volume is not bound yet, or the claim is being deleted while pods mount it',
    toDo: 'nothing. If it lasts, see the volume, whether kube-controller-manager runs, and the pods that mount the claim',
    passing: true,
  },
  VolumeReleased: {
    means: 'the volume names a claim that no longer exists; the controller gives it to the new one',
    toDo: 'nothing. If it lasts, see the volume',
    passing: true,
  },
  NameTaken: {
    means: 'an object of that name has another owner',
    toDo: 'the message names the object. Delete it if it is not needed. Otherwise delete the Dataset and its runtime, or the operation, and create them under another name',
    isRefusal: true,
    isStalling: true,
  },
  FieldConflict: {
    means: 'another controller changed a field back six times in a minute; the message names it',
    toDo: 'find it in `managedFields` of the object. The controller waits 30 s to 10 min between retries. A change by an admission webhook is accepted, and is no conflict',
    isStalling: true,
  },
  Conflict: { means: 'another writer changed the object at the same time', toDo: 'nothing; the controller retries at once', isRace: true },
  ApplyFailed: {
    means: 'the API server refused to store an object; the message is its answer',
    toDo: 'after `422 Invalid`, edit the value that the message names, in the spec of the Dataset, the runtime or the operation. Otherwise see quota, admission webhooks and rights. The controller retries with back-off, at least every 90 s, and at once after an edit of one of the three, such as a label',
    isRefusal: true,
  },
  UpdateFailed: {
    means:
      'a finalizer, a label, an owner, a pause, or a reference of claim and volume to each other could not be written on the object that the message names',
    toDo: 'as for `ApplyFailed`',
    isRefusal: true,
  },
  DeleteFailed: { means: 'the API server refused to delete the object that the message names', toDo: 'as for `ApplyFailed`' },
  ClaimKept: {
    means:
      'Kubernetes keeps the claim of an object that is being deleted for pods that have ended; the message names them, and their operations',
    toDo: 'delete these operations, or these pods',
    passing: true,
  },
  StillMounted: {
    means:
      'the object is being deleted, and the pods that the message names mount the claim, or pods mount the claims of the references that it names',
    toDo: 'delete these pods',
    isServing: true,
  },
  StillReferenced: {
    means: 'the Datasets in `status.datasetRef` refer to the one that is being deleted',
    toDo: 'delete these Datasets first',
  },
  CleaningCache: {
    means: 'the cache is being cleaned, or an attempt to clean it failed',
    toDo: 'nothing: after `maxRetryAttempts` failed attempts the deletion continues',
    passing: true,
  },
  NodeNotLabelled: {
    means:
      'nodes did not get labels of the runtime at a second try, such as one that the node plugin had set and the node has lost: fuse pods do not start there, or have left. The message names the nodes',
    toDo: 'grant the right to patch nodes, or see who removes the labels, or which admission policy rejects them. The controller retries with back-off',
  },
  NodesLabelled: {
    means: 'the object is being deleted, and its labels could not be removed from a node; the message names the node',
    toDo: 'grant the right to patch nodes, or see the admission policy that rejects the patch. The controller retries with back-off',
    passing: true,
  },
  TargetDatasetNotFound: {
    means: 'the Dataset that an operation is about does not exist',
    toDo: 'create the Dataset, in the namespace of the operation',
    passing: true,
    hasEvent: true,
  },
  RuntimeNotReady: {
    means: 'an operation waits until its Dataset is bound and its runtime is ready; the message says what is missing',
    toDo: 'nothing, unless it lasts: see the Dataset and its runtime',
    passing: true,
  },
  WaitingForTurn: {
    means: 'another operation of this kind runs on the Dataset, or is next; the message says at which place this one stands',
    toDo: 'nothing: it starts when its turn comes',
    passing: true,
  },
  NoPods: {
    means:
      'the Job of an operation, or the StatefulSet that helps it, has lacked pods for a minute; the message has its latest event `FailedCreate`: a quota, Pod Security or an admission webhook refuses the pod',
    toDo: 'change what the message names: Kubernetes tries again by itself. Whoever may write events in the namespace could have written that text',
  },
  DataOperationWaiting: {
    means: 'the operation of `spec.runAfter` is not complete yet; the message says if Kubernetes does not create its pods',
    toDo: 'nothing: it starts after that one. See that one if it lasts',
    passing: true,
  },
  DataOperationNotFound: {
    means: 'the operation of `spec.runAfter` does not exist',
    toDo: 'create it, or edit `spec.runAfter`',
    passing: true,
    hasEvent: true,
  },
  RunAfterCycle: {
    means: 'the operation of `spec.runAfter` waits, itself or through others, for this one; the message names them all',
    toDo: 'edit `spec.runAfter` of one of them',
    isStalling: true,
  },
  Paused: {
    means: 'the annotation `data.fluid.io/paused` of an operation is true, or neither `true` nor `false`; the message has its value',
    toDo: 'remove the annotation: the operation starts, or its Job goes on, when its turn comes',
    isWanted: true,
  },
  Retried: {
    means: 'the annotation `data.fluid.io/retry` of an operation has a new text: the operation runs once more',
    toDo: 'nothing: it starts when its turn comes',
    passing: true,
  },
  MountsChanged: {
    means: 'an operation with the policy OnEvent runs again, since the mounts of its Dataset have changed: 30 s after the last change',
    toDo: 'nothing, unless it lasts: see what changes the mounts of the Dataset',
    passing: true,
    isUnready: true,
  },
  Deleting: {
    means: 'objects are being deleted; the message names them, and the finalizers that keep them',
    toDo: 'if it lasts, see who set these finalizers: the controller creates what it needs again once it is gone',
    passing: true,
  },
} as const satisfies Readonly<Record<string, Cause>>;

/** Companions of vendors' runtimes have names that are not known here: `AcmeProfileNotFound`. */
export type Reason = keyof typeof causes | `${string}NotFound`;

const unknown: Cause = { means: 'an object that the spec names does not exist', toDo: 'create it' };
export const causeOf = (reason: Reason): Cause => (causes as Readonly<Record<string, Cause>>)[reason] ?? unknown;

/** The reason of the event that an operation is refused. */
export const refusalEventOf = (reason: string): string => causeOf(reason as Reason).refusalEvent ?? reason;

/** Whether it is expected to end without help. */
export const isPassing = ({ reason, isError = false }: { readonly reason: Reason; readonly isError?: boolean }): boolean =>
  causeOf(reason).passing === true && !isError;
