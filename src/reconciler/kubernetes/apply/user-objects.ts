import type { Monotonic } from '../../../kube/clock.ts';
import type { ObjectMeta } from '../../../api/index.ts';
import type { KubeClient, WriteOptions } from '../../../kube/contract.ts';
import { ApiError, isAbsent, isConflict, isNotFound } from '../../../kube/errors.ts';
import type { KubeObject, ResourceType } from '../../../kube/types.ts';
import { mergePatch } from '../../../planning/diff/merge-patch.ts';
import { type Marks, markPatch, unmarkPatch } from '../../../planning/diff/metadata.ts';
import type { Store } from '../store/store.ts';

interface Observed {
  readonly metadata: ObjectMeta;
  readonly status?: object | undefined;
}
export interface UserObjects {
  /** Adds finalizer, labels, annotations and owners of ours. No write if the object has them. */
  mark(type: ResourceType, object: Observed, marks: Marks): Promise<void>;
  /** Whether the object got our finalizer a moment ago: it cannot be deleted since, however late its watch is. */
  isThere(object: Observed): boolean;
  unmark(type: ResourceType, object: Observed, finalizer: string): Promise<void>;
  /**
   * Returns whether something was written. `given`: fields that `status` does not have stay. A patch without effect, as of a field that
   * the CRD of an older release lacks, is not sent to the same version again.
   */
  writeStatus(type: ResourceType, object: Observed, status: object, only: 'all' | 'given'): Promise<boolean>;
}

/** A Dataset and a runtime that are created from one file are both marked within this time. */
const MARKED_MS = 3000;

/** Writes on objects of users: only on the version that was observed. A 409 says that another writer was faster, or that it is deleted. */
export function userObjects(client: KubeClient, store: Store, clock: Monotonic): UserObjects {
  // By UID; in the order in which they were marked.
  const marked = new Map<string, number>();
  // The resourceVersion of an observed object after our own writes.
  const versions = new WeakMap<ObjectMeta, string>();
  // By UID, as JSON.
  const withoutEffect = new Map<string, string>();

  async function write(type: ResourceType, object: Observed, patch: unknown, options: PatchOptions): Promise<void> {
    const { metadata } = object;
    const where = { namespace: metadata.namespace, name: metadata.name };
    try {
      const written = await client.patch(type, where, patch, options);
      store.remember(written);
      versions.set(metadata, written.metadata.resourceVersion ?? '');
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      // The watch is behind. The next pass must find the object as it is, or that it is deleted, however late the watch is.
      const fresh = await client.get(type, where).catch((failed: unknown) => {
        if (!isAbsent(failed)) throw failed;
      });
      // The cast: it was read from the API server.
      if (!fresh) store.forget({ ...object, kind: type.kind } as KubeObject);
      else if (isConflict(error)) store.found(fresh);
      if (fresh || isConflict(error)) throw error;
      throw new ApiError({ method: 'PATCH', path: 'status or metadata' }, 409, `${type.kind} ${metadata.name} is gone, unseen`);
    }
  }
  const isGone = (type: ResourceType, { metadata: { namespace, name } }: Observed): boolean => !store.seen(type.kind, namespace, name);

  return {
    async mark(type, object, marks) {
      const ops = markPatch(object.metadata, marks);
      if (!ops) return;
      await write(type, object, ops, { type: 'json' });
      for (const [uid, at] of marked)
        if (clock.monotonic() - at > MARKED_MS) marked.delete(uid);
        else break;
      marked.set(object.metadata.uid ?? '', clock.monotonic());
    },
    isThere: ({ metadata }) => clock.monotonic() - (marked.get(metadata.uid ?? '') ?? -Infinity) <= MARKED_MS,
    async unmark(type, object, finalizer) {
      marked.delete(object.metadata.uid ?? '');
      withoutEffect.delete(object.metadata.uid ?? '');
      const ops = unmarkPatch(object.metadata, finalizer);
      // A 409 is thrown: the next pass finds what it was about.
      if (ops)
        await write(type, object, ops, { type: 'json' }).catch((error: unknown) => {
          if (!isGone(type, object)) throw error;
        });
    },
    async writeStatus(type, object, status, only) {
      const { metadata } = object;
      const patch = mergePatch((object.status ?? {}) as Fields, status as Fields, only);
      if (!patch) return false;
      const resourceVersion = versions.get(metadata) ?? metadata.resourceVersion;
      const { uid = '' } = metadata;
      const body = { metadata: { uid, resourceVersion }, status: patch };
      const text = JSON.stringify(body);
      if (withoutEffect.get(uid) === text) return false;
      await write(type, object, body, { type: 'merge', subresource: 'status' });
      const hadEffect = versions.get(metadata) !== resourceVersion;
      if (hadEffect) withoutEffect.delete(uid);
      else withoutEffect.set(uid, text);
      return hadEffect;
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;
type PatchOptions = WriteOptions & { readonly type: 'json' | 'merge' };
