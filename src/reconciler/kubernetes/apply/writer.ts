import { annotation, type Manifest, ownerUid, verifiedFuseOn } from '../../../api/index.ts';
import type { Monotonic } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { isAlreadyExists } from '../../../kube/errors.ts';
import type { KubeObject, Log, ResourceType } from '../../../kube/types.ts';
import { additionsIn } from '../../../planning/diff/additions.ts';
import { differencesIn } from '../../../planning/diff/compare.ts';
import { retain } from '../../../planning/diff/retain.ts';
import type { LiveObject, DesiredObject, PartlyApplied } from '../../world.ts';
import type { ImmutableChange } from '../../../planning/diff/retain.ts';
import { hashOf } from '../../../planning/bindings.ts';
import { isOurs, type Owner } from '../../../planning/owner.ts';
import type { Store } from '../store/store.ts';
import { createAdmissions } from './admissions.ts';
import { createFightDetector } from './fights.ts';
import { type Compared, note } from './findings.ts';
import { withNodesInUse } from './fuse-nodes.ts';
import { failureOf, FieldConflict, refOf } from './obstacles.ts';
import { stamp, stamped, stampOf } from '../../../planning/diff/stamp.ts';
import { takeOverFields } from '../../takeover/fields.ts';
import type { VerifiedFuses } from './verified-fuses.ts';

/** The content to send for an object, and the function that notes the answer. */
interface Repair {
  readonly hash: string;
  readonly sent: KubeObject;
  readonly noted: (object: KubeObject, how: Compared) => void;
}
/** The two ways in which an object of ours is written. */
export interface Writer {
  /** By POST, which never overwrites an object. Returns false if an object of this name exists. */
  create(owner: Owner, type: ResourceType, desired: DesiredObject): Promise<boolean>;
  /**
   * Makes an object, as it was just read, what it should be, by server-side apply of all its fields; without a write if nothing differs.
   * While another writer insists on other values, that is a failure.
   */
  repair(owner: Owner, type: ResourceType, desired: DesiredObject, live: LiveObject): Promise<PartlyApplied>;
  /** Forgets what is known of the objects of an owner. */
  forget(uid: string): void;
}

export function createWriter(client: KubeClient, store: Store, fuses: VerifiedFuses, log: Log, clock: Monotonic): Writer {
  const fights = createFightDetector(clock);
  const admissions = createAdmissions(log);

  async function create(owner: Owner, type: ResourceType, desired: DesiredObject): Promise<boolean> {
    const object = stamped(recorded(owner, claimed(owner, desired.manifest())), desired.hash);
    if (desired.finding.found === undefined) desired.finding.made = true;
    try {
      const answer = await client.create(type, object, { fieldValidation: 'Strict' });
      store.created(answer);
      const isAsSent = admissions.answered(owner.uid, desired.hash, object, answer);
      if (type.kind === 'DaemonSet') fuses.verified(owner, object, answer, desired.hash);
      compared(desired, answer, [], { isAsSent });
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** A volume is created for the claim that exists, with its UID, so that the volume controller need not write it. */
  function claimed(owner: Owner, manifest: Manifest): Manifest {
    if (manifest.kind !== 'PersistentVolume') return manifest;
    const spec = manifest['spec'] as { readonly claimRef: { readonly name: string } };
    const claim = store.live('PersistentVolumeClaim', owner.namespace, spec.claimRef.name);
    const { volumeName = manifest.metadata.name } = (claim?.['spec'] ?? {}) as { volumeName?: string };
    if (!claim || volumeName !== manifest.metadata.name || !isOurs(claim, owner, store)) return manifest;
    return { ...manifest, spec: { ...spec, claimRef: { ...spec.claimRef, uid: claim.metadata.uid } } };
  }

  /** A volume says which fuse DaemonSet is verified. What an earlier process has recorded stays until this one has verified it. */
  function recorded(owner: Owner, manifest: Manifest, live?: KubeObject): Manifest {
    if (manifest.kind !== 'PersistentVolume') return manifest;
    const record = fuses.recordOf(owner) ?? recordIn(live);
    return { ...manifest, metadata: { ...manifest.metadata, annotations: { ...manifest.metadata.annotations, ...record } } };
  }

  async function repair(owner: Owner, type: ResourceType, desired: DesiredObject, live: LiveObject): Promise<PartlyApplied> {
    const { manifest: placed, waiting } = await placedNow(owner, desired.manifest(), live);
    const { manifest, immutable } = retain(recorded(owner, placed, live), live);
    const found: PartlyApplied = { immutable, ...(waiting && { waiting: [waiting] }) };
    const hash = hashOf(placed);
    const noted = (object: KubeObject, how: Compared) => {
      if (!waiting) compared(desired, object, immutable, how);
    };
    try {
      return { ...found, ...(await write(owner, type, desired, live, { hash, sent: stamped(manifest, stamp(hash, immutable)), noted })) };
    } catch (error) {
      return { ...found, failed: [failureOf(desired, error)] };
    }
  }

  /** @throws FieldConflict while another writer insists on other values */
  async function write(
    owner: Owner,
    type: ResourceType,
    desired: DesiredObject,
    live: LiveObject,
    { hash, sent, noted }: Repair,
  ): Promise<PartlyApplied> {
    const paths = [...new Set([...admissions.unexplained(owner.uid, hash, sent, live), ...added(sent, live)])];
    if (paths.length === 0) {
      if (type.kind === 'DaemonSet') fuses.verified(owner, sent, live, desired.hash);
      noted(live, { isEqual: true });
      return {};
    }
    const { namespace, uid, deletionTimestamp } = live.metadata;
    // The object is being deleted, and that event starts the next pass: if it has the label by which it is watched.
    if (deletionTimestamp && ownerUid(live) === owner.uid) return {};
    const rival = fights.repaired(uid, owner.edition ?? '', paths);
    if (rival) throw new FieldConflict(`${rival.join(', ')} changed back ${fights.limit} times in a minute; waiting before the next try`);
    try {
      const answer = await sendAlone(type, live, sent);
      if (isEnded(answer)) {
        store.forget(answer);
        return (await create(owner, type, desired)) ? { created: [refOf(desired)] } : {};
      }
      store.remember(answer);
      const isAsSent = admissions.answered(owner.uid, hash, sent, answer);
      if (type.kind === 'DaemonSet') fuses.verified(owner, sent, answer, desired.hash);
      noted(answer, { isAsSent });
    } catch (error) {
      fights.failed(uid);
      throw error;
    }
    if (paths.every((path) => path === RECORD)) return {};
    // With another stamp, a spec was edited since, or another version of Sluice rendered it. With the same, the object was changed.
    const isRepaired = stampOf(live) === stampOf(sent);
    log.info({ object: refOf(desired), namespace, fields: paths.slice(0, 10) }, isRepaired ? 'repaired' : 'applied a change');
    return { changed: [refOf(desired)], ...(paths.some(isData) && { newData: [refOf(desired)] }) };
  }

  /** A Secret is read each time, since no watch reports its changes: nothing of it is noted. */
  function compared(desired: DesiredObject, object: KubeObject, immutable: readonly ImmutableChange[], how: Compared): void {
    if (desired.kind !== 'Secret') note(desired, store.project(object), immutable, how);
  }

  /** Fuse pods stay on nodes where pods mount the claim, unless the user wants them to leave at once. */
  const placedNow = (owner: Owner, manifest: Manifest, live: LiveObject): ReturnType<typeof withNodesInUse> =>
    manifest.kind === 'DaemonSet' && !owner.placesNow
      ? withNodesInUse(client, store, owner, manifest, live)
      : Promise.resolve({ manifest });

  /** With the UID that was read: for a successor of that object the API server rejects the write. */
  async function send(type: ResourceType, live: LiveObject, desired: KubeObject): Promise<KubeObject> {
    await takeOverFields(client, type, live);
    const object = { ...desired, metadata: { ...desired.metadata, uid: live.metadata.uid } };
    return client.apply(type, object, { force: true, fieldValidation: 'Strict' });
  }

  /** The pods of a DaemonSet become privileged containers of users' pods: what others have put beside our fields goes. */
  async function sendAlone(type: ResourceType, live: LiveObject, desired: KubeObject): Promise<KubeObject> {
    const answer = await send(type, live, desired);
    if (added(desired, answer).length === 0 || isEnded(answer)) return answer;
    const { uid, resourceVersion } = answer.metadata;
    const patch = [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'replace', path: '/spec/template/spec', value: podSpecOf(desired) },
    ];
    return client.patch(type, answer.metadata, patch, { type: 'json', fieldValidation: 'Strict' });
  }

  return { create, repair, forget: admissions.forget };
}

/**
 * The object was being deleted, and waited for a finalizer of Fluid alone: taking its fields over ended that, which no watch of ours shows.
 */
const isEnded = ({ metadata: { deletionTimestamp, finalizers } }: KubeObject): boolean =>
  deletionTimestamp !== undefined && !finalizers?.length;

/** The record changes whenever the fuse DaemonSet does, which is reported. */
const RECORD = `metadata.annotations.${annotation.verifiedFuse}`;

const isData = (path: string): boolean => /^(data|binaryData|stringData)\b/.test(path);

type PodSpecFields = Readonly<Record<string, unknown>>;
const podSpecOf = ({ spec }: KubeObject): PodSpecFields => (spec as { readonly template: { readonly spec: PodSpecFields } }).template.spec;
/** Fields that others put beside ours. Another value of a field of ours is a difference: admission may have set it. */
function added(desired: KubeObject, live: KubeObject): readonly string[] {
  if (desired.kind !== 'DaemonSet') return [];
  const paths = additionsIn(podSpecOf(desired), podSpecOf(live)).map((path) => `spec.template.spec.${path}`);
  const differing = new Set(paths.length === 0 ? [] : differencesIn(desired, live).map(({ path }) => path));
  return paths.filter((path) => !differing.has(path));
}

function recordIn(live: KubeObject | undefined): Readonly<Record<string, string>> {
  const { fuse, note } = verifiedFuseOn(live);
  return fuse === undefined ? {} : { [annotation.verifiedFuse]: fuse, ...(note !== undefined && { [annotation.sidecar]: note }) };
}
