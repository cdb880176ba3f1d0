import type { OperationKind } from '../constructs/index.ts';

/** The subject of one pass: a Dataset and the runtimes of its name. */
export interface Key {
  readonly namespace: string;
  readonly name: string;
}
/** An operation is reconciled by itself; it may have the name of a Dataset or of another kind of operation. */
export interface OperationKey extends Key {
  readonly kind: OperationKind;
}

/** `<namespace>/<name>`, for operations `<namespace>/<name>/<kind>`. The namespace comes first: the queue takes turns by it. */
export const keyText = (key: Key | OperationKey): string =>
  'kind' in key ? `${key.namespace}/${key.name}/${key.kind}` : `${key.namespace}/${key.name}`;

/** The inverse of keyText. */
export function keyOfText(text: string): Key | OperationKey {
  const [namespace = '', name = '', kind] = text.split('/');
  // The cast: keyText made the text of a key.
  return kind === undefined ? { namespace, name } : { namespace, name, kind: kind as OperationKind };
}

export const keyOf = ({ metadata }: { readonly metadata: { readonly namespace?: string; readonly name: string } }): Key => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** An object in a message: `Dataset ml/demo`. */
export const objectText = ({
  kind,
  metadata: { namespace, name },
}: {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
}): string => `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
