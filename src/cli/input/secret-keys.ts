import { type Dataset, type EncryptOption, shown } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { InputFault } from './documents.ts';
import { faultAt, type Item, refOf } from './read.ts';

/** Faults of options whose Secret is in the input and lacks their key: pods that mount the dataset would not start. */
export function secretKeyFaults(
  { object, source }: Item<Dataset>,
  secretOf: (namespace: string | undefined, name: string) => KubeObject | undefined,
): readonly InputFault[] {
  const { mounts = [], sharedEncryptOptions } = object.spec;
  const missing = (options: readonly EncryptOption[] | undefined, path: string) =>
    (options ?? []).flatMap(({ name, valueFrom }, i) => {
      const { name: secret, key } = valueFrom?.secretKeyRef ?? {};
      const found = secret && secretOf(object.metadata.namespace, secret);
      if (!key || !found || key in keysIn(found)) return [];
      const expected = `a key of ${refOf(found)} for option ${name} (${some(Object.keys(keysIn(found)))})`;
      const wrong = `${shown(key)}, which the Secret does not have`;
      return faultAt(source, object, { path: `${path}[${i}].valueFrom.secretKeyRef.key`, expected, found: wrong });
    });
  return [
    ...missing(sharedEncryptOptions, 'spec.sharedEncryptOptions'),
    ...mounts.flatMap(({ encryptOptions }, i) => missing(encryptOptions, `spec.mounts[${i}].encryptOptions`)),
  ];
}

const MOST_KEYS = 12;
const some = (keys: readonly string[]): string =>
  keys.length === 0 ? 'it has none' : `it has ${keys.slice(0, MOST_KEYS).join(', ')}${keys.length > MOST_KEYS ? ', …' : ''}`;
const keysIn = ({ data, stringData }: KubeObject): object => ({ ...(data as object | undefined), ...(stringData as object | undefined) });
