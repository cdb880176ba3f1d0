import { join } from 'node:path';
import type { ApiServer } from '../../../src/api-server/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { documents } from '../../upstream/cases.ts';

/** Puts what Fluid made of a case, with its statuses, and the UIDs that the server has given. `changed` says what another version made. */
export function putGolden(server: ApiServer, folder: string, changed: (object: KubeObject) => KubeObject = (object) => object): void {
  const [input = [], statuses = [], objects = []] = ['input.yaml', 'status.yaml', 'objects.yaml'].map(
    (file) => documents(join(folder, file)) as readonly KubeObject[],
  );
  const uids = new Map<string, string>();
  const nameOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.name}`;
  const put = (object: KubeObject, manager?: string) => {
    const text = JSON.stringify(object).replaceAll(/<uid:([^>]*)>/g, (_, ref: string) => uids.get(ref) ?? '');
    uids.set(nameOf(object), server.put(changed(JSON.parse(text) as KubeObject), manager).metadata.uid ?? '');
  };
  const byOwner = statuses.toSorted((a, b) => Number(a.kind !== 'Dataset') - Number(b.kind !== 'Dataset'));
  const known = new Set(statuses.map(nameOf));
  for (const object of input) if (!known.has(nameOf(object))) put(object);
  for (const status of byOwner) put({ spec: {}, ...input.find((object) => nameOf(object) === nameOf(status)), ...status });
  for (const object of objects) if (object.kind !== 'NodeLabels') put(object, 'ddc-helm');
}

/** As Fluid 1.0.0 to 1.0.4 created an object: by its charts, pods have a label with the Dataset's ID only since 1.0.5. */
export function asBefore105(object: KubeObject): KubeObject {
  const { template, ...spec } = (object['spec'] ?? {}) as { readonly template?: KubeObject };
  if (!template || !WORKLOADS.has(object.kind)) return { ...object, metadata: unlabelled(object.metadata) };
  return {
    ...object,
    metadata: unlabelled(object.metadata),
    spec: { ...spec, template: { ...template, metadata: unlabelled(template.metadata) } },
  };
}
const WORKLOADS = new Set(['StatefulSet', 'DaemonSet']);
function unlabelled({ labels = {}, ...metadata }: KubeObject['metadata']): KubeObject['metadata'] {
  const { 'fluid.io/dataset-id': _, ...kept } = labels;
  return { ...metadata, labels: kept };
}
