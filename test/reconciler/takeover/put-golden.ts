import { join } from 'node:path';
import type { ApiServer } from '../../../src/api-server/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { documents } from '../../upstream/cases.ts';

/** Puts what Fluid made of a case, with its statuses, and the UIDs that the server has given. */
export function putGolden(server: ApiServer, folder: string): void {
  const [input = [], statuses = [], objects = []] = ['input.yaml', 'status.yaml', 'objects.yaml'].map(
    (file) => documents(join(folder, file)) as readonly KubeObject[],
  );
  const uids = new Map<string, string>();
  const nameOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.name}`;
  const put = (object: KubeObject) => {
    const text = JSON.stringify(object).replaceAll(/<uid:([^>]*)>/g, (_, ref: string) => uids.get(ref) ?? '');
    uids.set(nameOf(object), server.put(JSON.parse(text) as KubeObject).metadata.uid ?? '');
  };
  const byOwner = statuses.toSorted((a, b) => Number(a.kind !== 'Dataset') - Number(b.kind !== 'Dataset'));
  const known = new Set(statuses.map(nameOf));
  for (const object of input) if (!known.has(nameOf(object))) put(object);
  for (const status of byOwner) put({ spec: {}, ...input.find((object) => nameOf(object) === nameOf(status)), ...status });
  for (const object of objects) if (object.kind !== 'NodeLabels') put(object);
}
