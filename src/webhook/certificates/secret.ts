import type { Clock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound, isConflict, isNotFound } from '../../kube/errors.ts';
import { type KubeObject, type Log, type ObjectName, resourceType } from '../../kube/types.ts';
import { reflect, type ReflectorStatus } from '../../kube/watch/reflector.ts';
import { dataOf, type Material } from './material.ts';

const SECRET = resourceType('', 'Secret', 'secrets');

/** The Secret of the certificate, as last seen: by the watch, by a read, or in the answer to a write. */
export interface CertificateSecret {
  readonly current: KubeObject | undefined;
  readonly status: ReflectorStatus;
  /** False if another replica has written it since `basis`: then that one counts. */
  write(material: Material, basis: KubeObject | undefined): Promise<boolean>;
  /** Reads it. Returns whether it is another one than was last seen. */
  hasChanged(): Promise<boolean>;
  stop(): void;
}

export interface SecretOptions {
  /** Ends requests. */
  readonly signal: AbortSignal;
  /** Called for each change, and when it is known whether the Secret exists. */
  readonly onChange: () => void;
  readonly log: Log;
  readonly clock: Clock;
}

export function watchSecret(client: KubeClient, name: ObjectName, { signal, onChange, ...options }: SecretOptions): CertificateSecret {
  let current: KubeObject | undefined;
  const watch = reflect(client, SECRET, {
    ...options,
    ...(name.namespace !== undefined && { namespace: name.namespace }),
    fieldSelector: `metadata.name=${name.name}`,
    onChange(change) {
      current = change.type === 'deleted' ? undefined : change.object;
      onChange();
    },
    onSynced: onChange,
  });
  return {
    get current() {
      return current;
    },
    get status() {
      return watch.status;
    },
    async write(material, basis) {
      const written = await writeSecret(client, name, material, basis, signal);
      current = written ?? (await readSecret(client, name, signal));
      return written !== undefined;
    },
    async hasChanged() {
      const newest = await readSecret(client, name, signal);
      if (newest?.metadata.resourceVersion === current?.metadata.resourceVersion) return false;
      current = newest;
      return true;
    },
    stop: watch.stop,
  };
}

/** threat-model: R-certificate */
const readSecret = (client: KubeClient, name: ObjectName, signal: AbortSignal): Promise<KubeObject | undefined> =>
  client.get(SECRET, name, { signal }).catch(ignoreNotFound);

/**
 * Writes a certificate over the Secret from which it was decided, and keeps what others have added to that. Undefined if another replica has
 * written it meanwhile.
 * threat-model: keeps
 * @throws Error if the Secret does not exist: whoever may create Secrets can have one with the token of any ServiceAccount
 */
async function writeSecret(
  client: KubeClient,
  { name, namespace = '' }: ObjectName,
  material: Material,
  basis: KubeObject | undefined,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  if (!basis) throw new Error(`Secret ${namespace}/${name} does not exist: apply the manifests that sluice install prints`);
  const { resourceVersion, labels, annotations, ownerReferences } = basis.metadata;
  const kept = { ...(labels && { labels }), ...(annotations && { annotations }), ...(ownerReferences && { ownerReferences }) };
  const metadata = { name, namespace, resourceVersion, ...kept };
  const data = { ...(basis['data'] as object | undefined), ...dataOf(material) };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: basis['type'] ?? 'Opaque', data } as KubeObject;
  try {
    return await client.update(SECRET, secret, { signal, retries: 0 });
  } catch (error) {
    // One that was deleted meanwhile is read again as well.
    if (!isNotFound(error) && !isConflict(error)) throw error;
    return undefined;
  }
}
