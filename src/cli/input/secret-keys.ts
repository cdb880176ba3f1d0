import type { Dataset, EncryptOption } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { InputFault } from './documents.ts';
import { faultAt, type Item } from './read.ts';

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
      const expected = `for option ${name} a key that Secret ${secret} has`;
      return faultAt(source, object, { path: `${path}[${i}].valueFrom.secretKeyRef.key`, expected, found: JSON.stringify(key) });
    });
  return [
    ...missing(sharedEncryptOptions, 'spec.sharedEncryptOptions'),
    ...mounts.flatMap(({ encryptOptions }, i) => missing(encryptOptions, `spec.mounts[${i}].encryptOptions`)),
  ];
}

const keysIn = ({ data, stringData }: KubeObject): object => ({ ...(data as object | undefined), ...(stringData as object | undefined) });
