/** Objects in protobuf, as clients in Go send those of Kubernetes' own kinds; format: apimachinery's pkg/runtime/serializer/protobuf. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { Json, JsonMap } from '../../json.ts';
import { badRequest, Refusal } from '../../refusals.ts';
import { MESSAGES } from './messages.gen.ts';

interface Field {
  /** In JSON. Empty: the fields of the message are those of the object around it. */
  readonly name: string;
  readonly type: string;
  readonly many?: '[]' | '{}';
  /** A zero is no value: Go writes one for each field that is no pointer. */
  readonly isOptional: boolean;
}

const MAGIC = 'k8s\0';
const ENVELOPE = messagesOf('Unknown typeMeta:1:TypeMeta raw:2:bytes\nTypeMeta apiVersion:1:string kind:2:string');
let known: ReadonlyMap<string, ReadonlyMap<number, Field>> | undefined;

/**
 * Reads the body of a request.
 * @throws Refusal for bytes that are none, and for a kind whose messages are not known: custom resources have none
 */
export function fromProtobuf(body: Uint8Array): JsonMap {
  if (Buffer.from(body.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC)
    throw badRequest('the body of the request is no protobuf of Kubernetes');
  try {
    const { typeMeta, raw = '' } = message(ENVELOPE, 'Unknown', body.subarray(MAGIC.length)) as {
      readonly typeMeta?: TypeMeta;
      readonly raw?: string;
    };
    const { apiVersion = '', kind = '' } = typeMeta ?? {};
    const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
    const home = kind === 'DeleteOptions' ? 'meta' : group === '' ? 'core' : (group.split('.')[0] ?? '');
    known ??= messagesOf(MESSAGES);
    if (!apiVersion.endsWith('v1') || !known.has(`${home}.${kind}`))
      throw new Refusal(415, 'UnsupportedMediaType', `the server reads ${apiVersion} ${kind} as JSON and YAML alone`);
    return { apiVersion, kind, ...message(known, `${home}.${kind}`, Buffer.from(raw, 'base64')) };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw badRequest(`the body of the request is no protobuf of Kubernetes: ${(error as Error).message}`);
  }
}
interface TypeMeta {
  readonly apiVersion?: string;
  readonly kind?: string;
}

type Messages = ReadonlyMap<string, ReadonlyMap<number, Field>>;

/** Lines as scripts/kubernetes-protobuf.ts writes them. */
function messagesOf(text: string): Messages {
  return new Map(
    text.split('\n').map((line) => {
      const [name = '', ...fields] = line.split(' ');
      return [name, new Map(fields.map(fieldOf))];
    }),
  );
}
function fieldOf(text: string): readonly [number, Field] {
  const [name = '', number, said = ''] = text.split(':');
  const [, many, type = '', zero] = /^(\[\]|\{\})?([^?]+)(\?)?$/.exec(said) ?? [];
  return [Number(number), { name, type, ...(many && { many: many as '[]' | '{}' }), isOptional: zero !== undefined }];
}

function message(messages: Messages, name: string, bytes: Uint8Array): JsonMap {
  const fields = messages.get(name);
  const reader = new BinaryReader(bytes);
  const made: Record<string, Json> = {};
  // Put together at the end: to copy what there is for each next one would take the square of their number.
  const lists = new Map<string, Json[]>();
  const maps = new Map<string, Entry[]>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const field = fields?.get(number);
    if (!field) {
      reader.skip(wireType, number);
      continue;
    }
    if (field.many === '{}') {
      added(maps, field.name, entry(messages, field, reader.bytes()));
      continue;
    }
    const value = valueOf(messages, field.type, reader);
    if (value === undefined || (field.isOptional && !value)) continue;
    if (field.name === '') Object.assign(made, value);
    else if (field.many === '[]') added(lists, field.name, value);
    else made[field.name] = value;
  }
  for (const [field, list] of lists) made[field] = list;
  for (const [field, entries] of maps) made[field] = Object.fromEntries(entries);
  return made;
}

function added<T>(to: Map<string, T[]>, field: string, value: T): void {
  const there = to.get(field);
  if (there) there.push(value);
  else to.set(field, [value]);
}

type Entry = readonly [key: string, value: Json];
/** An entry of a map: a message of a key and a value. */
function entry(messages: Messages, { type }: Field, bytes: Uint8Array): Entry {
  const reader = new BinaryReader(bytes);
  let key = '';
  let value: Json = type === 'string' || type === 'bytes' ? '' : {};
  while (reader.pos < reader.len) {
    const [number] = reader.tag();
    if (number === 1) key = reader.string();
    else value = valueOf(messages, type, reader) ?? value;
  }
  return [key, value];
}

function valueOf(messages: Messages, type: string, reader: BinaryReader): Json | undefined {
  switch (type) {
    case 'string':
      return reader.string();
    case 'int':
      return Number(reader.int64());
    case 'bool':
      return reader.bool();
    case 'double':
      return reader.double();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    default: {
      const made = message(messages, type, reader.bytes());
      return type in OWN ? OWN[type]?.(made) : made;
    }
  }
}

const embedded = ({ raw = '' }: JsonMap): Json => JSON.parse(Buffer.from(raw as string, 'base64').toString() || 'null') as Json;
/** Types that are something else in JSON. The zero of a time is none. */
export const OWN: Readonly<Record<string, (made: JsonMap) => Json | undefined>> = {
  'meta.Time': ({ seconds }) => (seconds === undefined ? undefined : `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`),
  'meta.MicroTime': ({ seconds, nanos = 0 }) =>
    seconds === undefined
      ? undefined
      : `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${String(Math.trunc(Number(nanos) / 1000)).padStart(6, '0')}Z`,
  'meta.FieldsV1': embedded,
  'resource.Quantity': ({ text = '0' }) => text,
  'intstr.IntOrString': ({ type, number = 0, text = '' }) => (type === 1 ? text : number),
  'runtime.RawExtension': embedded,
};
