import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ApiError } from '../../../src/kube/errors.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { kinds } from '../../support/kinds.ts';
import type { Subject } from '../suite.ts';
import { unique } from './objects.ts';
import { type SchemaCase, schemaCases } from './schema-cases.ts';

/** The answers of a real API server, recorded by test/cluster/api-server.test.ts with `--update`. */
const RECORDED = join(import.meta.dirname, 'schema-answers.golden');

/** The answer to a request: the part that does not differ from one time to the next. */
type Answer = Readonly<Record<string, unknown>>;

export function schemas(subject: () => Subject): void {
  test('custom resources are pruned, completed and refused as a real API server does it', async () => {
    const client = subject().client('schemas');
    const namespace = await subject().namespace();
    const answers: Record<string, Answer> = {};
    for (const one of schemaCases) answers[`${one.kind}: ${one.title}`] = await answerTo(one);
    await expect(`${JSON.stringify(answers, null, 2)}\n`).toMatchFileSnapshot(RECORDED);

    async function answerTo({ kind, verb = 'create', first, object = {}, patch, subresource, fieldValidation }: SchemaCase) {
      const type = kinds[kind];
      const name = unique('case');
      const placed = (fields: Readonly<Record<string, unknown>>): KubeObject => ({
        apiVersion: `${type.group}/${type.version}`,
        kind,
        ...fields,
        metadata: { name, ...(type.namespaced && { namespace }), ...(fields['metadata'] as object | undefined) },
      });
      const options = { fieldValidation, subresource };
      const there = first && (await client.create(type, placed(first), { fieldManager: 'first' }));
      const { resourceVersion } = there?.metadata ?? {};
      const requests = {
        create: () => client.create(type, placed(object), { ...options, dryRun: true }),
        apply: () => client.apply(type, placed(object), { ...options, dryRun: true }),
        merge: () => client.patch(type, { namespace, name }, patch, { ...options, type: 'merge' }),
        json: () => client.patch(type, { namespace, name }, patch, { ...options, type: 'json' }),
        update: () => client.update(type, placed({ ...object, metadata: { resourceVersion, ...(object['metadata'] as object) } }), options),
      };
      const answer = await requests[verb]().then(kept, refusalOf);
      if (there) await client.delete(type, { namespace, name });
      // Kubernetes 1.37 leaves out the value that a CEL rule was asked about, and has another name for keys.
      const text = JSON.stringify(answer)
        .replaceAll('Invalid value: \\"object\\": ', 'Invalid value: ')
        .replaceAll('a valid label key must', 'a qualified name must');
      return JSON.parse(text.replaceAll(namespace, 'NAMESPACE').replaceAll(name, 'NAME')) as Answer;
    }
  });
}

function kept(object: KubeObject): Answer {
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  const { labels, annotations, finalizers } = metadata;
  return sorted({ ...rest, ...(labels && { labels }), ...(annotations && { annotations }), ...(finalizers && { finalizers }) }) as Answer;
}
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, each]) => [key, sorted(each)]),
        )
      : value;

/** Faults come in the order of a map in Go, which is another one each time. */
function refusalOf(error: unknown): Answer {
  if (!(error instanceof ApiError)) throw error;
  const { reason, message = '', details } = error.body ?? {};
  const causes = details?.causes?.map((cause) => `${cause.reason} ${cause.field}: ${cause.message}`).toSorted();
  const said = causes && causes.length > 1 ? message.replace(/ invalid: .*$/s, ` invalid: ${causes.length} causes`) : message;
  // The object that a patch has made, as text: with what the server keeps of it.
  const plain = said.replace(/^( "" is invalid: patch: Invalid value: ").*(": )/s, '$1…$2');
  const { causes: ___, ...rest } = details ?? {};
  return { status: error.status, reason, message: plain, details: sorted(rest), ...(causes && plain === said && { causes }) };
}
