/** Bodies as client-go writes them: a zero for each field that is no pointer. kubectl's own are in docs/playground.md, which a test follows. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { expect, test } from 'vitest';
import { OWN as WRITTEN } from '../../scripts/kubernetes-protobuf.ts';
import { builtInKinds, unknownFields } from '../../src/api-server/kinds.ts';
import { fromProtobuf, OWN } from '../../src/api-server/wire/protobuf/decode.ts';
import { MESSAGES } from '../../src/api-server/wire/protobuf/messages.gen.ts';
import { byPath, readRequest } from '../../src/api-server/wire/requests.ts';
import { apiVersionOf, type KubeObject } from '../../src/kube/types.ts';

type Part = (writer: BinaryWriter) => BinaryWriter;
const text =
  (number: number, value: string): Part =>
  (writer) =>
    writer.tag(number, WireType.LengthDelimited).string(value);
const whole =
  (number: number, value: number): Part =>
  (writer) =>
    writer.tag(number, WireType.Varint).int64(value);
const flag =
  (number: number, value: boolean): Part =>
  (writer) =>
    writer.tag(number, WireType.Varint).bool(value);
const part =
  (number: number, ...parts: readonly Part[]): Part =>
  (writer) =>
    writer.tag(number, WireType.LengthDelimited).bytes(bytesOf(...parts));
const bytesOf = (...parts: readonly Part[]): Uint8Array => parts.reduce((writer, write) => write(writer), new BinaryWriter()).finish();
const sent = (apiVersion: string, kind: string, ...parts: readonly Part[]): Uint8Array =>
  Buffer.concat([Buffer.from('k8s\0'), bytesOf(part(1, text(1, apiVersion), text(2, kind)), part(2, ...parts), text(3, ''), text(4, ''))]);

const metadata = part(
  1,
  text(1, 'a'),
  text(2, ''),
  text(3, 'ml'),
  text(4, ''),
  text(5, ''),
  text(6, ''),
  whole(7, 0),
  part(8),
  part(11, text(1, 'app'), text(2, 'x')),
);

test('a Deployment, of which zeroes of pointers are values', () => {
  const container = part(
    2,
    text(1, 'main'),
    text(2, 'i:1'),
    text(5, ''),
    part(8, part(1, text(1, 'cpu'), part(2, text(1, '500m')))),
    part(10, part(1, part(2, text(1, '/x'), part(2, whole(1, 0), whole(2, 80), text(3, '')))), whole(2, 0), whole(3, 5)),
  );
  const body = sent(
    'apps/v1',
    'Deployment',
    metadata,
    part(
      2,
      whole(1, 0),
      part(2, part(1, text(1, 'app'), text(2, 'x'))),
      part(3, part(1, part(8)), part(2, container)),
      part(4, text(1, ''), part(2, part(1, whole(1, 1), whole(2, 0), text(3, '25%')))),
      whole(5, 0),
      flag(7, false),
    ),
  );
  expect(fromProtobuf(body)).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'ml', labels: { app: 'x' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'x' } },
      template: {
        metadata: {},
        spec: {
          containers: [
            {
              name: 'main',
              image: 'i:1',
              resources: { limits: { cpu: '500m' } },
              livenessProbe: { httpGet: { path: '/x', port: 80 }, timeoutSeconds: 5 },
            },
          ],
        },
      },
      strategy: { rollingUpdate: { maxUnavailable: '25%' } },
    },
  });
});
test('bytes, times, entries without a value, and fields that are not known', () => {
  const entry = (number: number, key: string, ...value: readonly Part[]) => part(number, text(1, key), ...value);
  expect(
    fromProtobuf(
      sent(
        'v1',
        'Secret',
        part(1, text(1, 's'), part(9, whole(1, 1_700_000_000)), text(99, '?')),
        entry(2, 'k', text(2, 'v')),
        entry(2, 'empty'),
        text(3, 'Opaque'),
      ),
    ),
  ).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', deletionTimestamp: '2023-11-14T22:13:20Z' },
    data: { k: 'dg==', empty: '' },
    type: 'Opaque',
  });
});
test.each([
  ['a definition', sent('apiextensions.k8s.io/v1', 'CustomResourceDefinition', metadata), 415],
  ['a custom resource', sent('data.fluid.io/v1alpha1', 'Dataset', metadata), 415],
  ['another version', sent('batch/v1beta1', 'CronJob', metadata), 415],
  ['JSON', Buffer.from('{}'), 400],
  ['half a message', sent('v1', 'Secret', metadata).subarray(0, 30), 400],
  ['a message that is none', sent('v1', 'Secret', text(1, 'no metadata')), 400],
])('%s is refused', (_, body, status) => {
  expect(() => fromProtobuf(body)).toThrow(expect.objectContaining({ status }));
});
test.each(builtInKinds.filter(({ group }) => group !== 'apiextensions.k8s.io').map((type) => [type.kind, type] as const))(
  'a %s can be read',
  (kind, type) => {
    expect(fromProtobuf(sent(apiVersionOf(type), kind, metadata))).toMatchObject({ kind, metadata: { name: 'a' } });
  },
);
test('a list and a map of as many entries as a body may have', () => {
  const finalizers = Buffer.alloc(2 * 400_000).map((_, i) => (i % 2 === 0 ? (14 << 3) | WireType.LengthDelimited : 0));
  const data = Array.from({ length: 40_000 }, (_, i) => part(2, text(1, `k${i}`), text(2, 'v')));
  const read = fromProtobuf(sent('v1', 'ConfigMap', (writer) => writer.tag(1, WireType.LengthDelimited).bytes(finalizers), ...data));
  expect((read['metadata'] as { finalizers: readonly string[] }).finalizers).toHaveLength(400_000);
  expect(Object.keys(read['data'] as object)).toHaveLength(40_000);
});
test('JSON inside may be as deep as a body of JSON', () => {
  const deep = part(17, part(7, text(1, `${'{"a":'.repeat(300)}{}${'}'.repeat(300)}`)));
  const sentAs = {
    method: 'POST',
    path: '/api/v1/namespaces/ml/configmaps',
    headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    body: sent('v1', 'ConfigMap', part(1, text(1, 'a'), deep)),
  };
  expect(() => readRequest(byPath(builtInKinds), sentAs)).toThrow(/nested deeper than 200 levels/);
});
test('strict decoding knows the fields of each kind', () => {
  for (const type of builtInKinds.filter(({ group, kind }) => group !== 'apiextensions.k8s.io' && kind !== 'Event')) {
    const home = type.group === '' ? 'core' : type.group.split('.')[0];
    const [, line = ''] = new RegExp(`^${home}\\.${type.kind} (.*)$`, 'm').exec(MESSAGES) ?? [];
    const fields = line.split(' ').map((field) => field.split(':')[0] ?? '');
    const object = Object.fromEntries(fields.map((field) => [field, {}])) as unknown as KubeObject;
    expect([type.kind, unknownFields(type, object)]).toEqual([type.kind, []]);
  }
});

test('a message that is something else in JSON is known to the generator and to the reader', () =>
  expect(Object.keys(OWN).toSorted()).toEqual(Object.keys(WRITTEN).toSorted()));
