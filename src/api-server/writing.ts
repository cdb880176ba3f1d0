import type { KubeObject, ResourceType } from '../kube/types.ts';
import type { JsonMap } from './json.ts';
import type { Manager } from './managers.ts';
import { badRequest, type Target } from './refusals.ts';

/** The writer, and how strictly the server checks. */
export interface Writing {
  readonly manager: string;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
  readonly dryRun?: boolean | undefined;
  readonly force?: boolean | undefined;
  /** Hears the texts of `Warning` headers. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Throws a Refusal for an object that may not be stored; `old` is what it replaces. */
  readonly validate?: ((at: Target, object: KubeObject, old?: KubeObject) => void) | undefined;
  /** The object after an admission webhook. */
  readonly mutate?: ((object: KubeObject) => KubeObject) | undefined;
}

export interface At extends Target {
  readonly name: string;
}

/** The managers of an object's fields after a write. */
export type Merge = (next: KubeObject) => readonly Manager[];

// Objects are what came in as JSON.
export const json = (object: KubeObject): JsonMap => object as unknown as JsonMap;

/** The API server keeps what is written as text in base64. The path says the kind: the object itself may leave it out. */
export function withStringData({ kind }: ResourceType, object: KubeObject): KubeObject {
  const { stringData, ...rest } = object;
  if (kind !== 'Secret' || stringData === undefined) return object;
  const encoded = Object.entries(stringData as Readonly<Record<string, unknown>>).map(([key, text]) => {
    // `y` and `1` are no texts in YAML.
    if (typeof text !== 'string')
      throw badRequest(`Secret in version "v1" cannot be handled as a Secret: stringData.${key}: expected string, found ${typeof text}`);
    return [key, Buffer.from(text).toString('base64')];
  });
  return { ...rest, data: { ...(object['data'] as object | undefined), ...Object.fromEntries(encoded) } } as KubeObject;
}

/** Empty fields are left out, as in Go's types. */
export function compacted<T extends object>(object: T): T {
  const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  const kept = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
  const { data, metadata = {}, ...rest } = object as { readonly data?: unknown; readonly metadata?: object };
  return { ...rest, ...(data !== undefined && !isEmpty(data) && { data }), metadata: kept(metadata) } as unknown as T;
}
