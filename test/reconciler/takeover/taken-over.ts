/** Objects that Fluid has set up and left, and our controller, which has not begun. */
import { join } from 'node:path';
import alluxio from '../../../runtimes/alluxio/index.ts';
import efc from '../../../runtimes/efc/index.ts';
import jindo from '../../../runtimes/jindo/index.ts';
import juicefs from '../../../runtimes/juicefs/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import vineyard from '../../../runtimes/vineyard/index.ts';
import type { ApiServer } from '../../../src/api-server/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { documents, GOLDENS } from '../../upstream/cases.ts';
import { type Harness, harness } from '../harness.ts';
import { asBefore105, putGolden } from './put-golden.ts';

const runtimes = [thin, alluxio, juicefs, jindo, efc, vineyard];

interface Given {
  readonly changed?: (object: KubeObject) => KubeObject;
  readonly prepare?: (server: ApiServer, namespace: string) => void;
  readonly options?: Parameters<typeof harness>[0];
}

/** A case of the goldens while one pod of each workload runs, and our controller, which has not begun. */
export async function takenOver(golden: string, { changed = asBefore105, prepare, options }: Given = {}) {
  const namespace = `g-${golden.replace('/', '-')}`;
  const at = await harness({
    runtimes,
    ...options,
    prepare(server) {
      putGolden(server, join(GOLDENS, golden), changed);
      prepare?.(server, namespace);
    },
  });
  const of = (kind: string) => at.server.all(kind).filter((each) => each.metadata.namespace === namespace);
  const { name } = of('Dataset')[0]!.metadata;
  const key = { namespace, name };
  label(at, 'node-1', { [`fluid.io/f-${namespace}-${name}`]: 'true' });
  await at.settle();
  for (const { node, labels } of nodesOf(golden)) {
    const [worker] = of('Pod').filter(({ metadata }) => metadata.name === `${name}-worker-${Number(node.at(-1)) % 2}`);
    label(at, String((worker?.['spec'] as { nodeName?: string } | undefined)?.nodeName ?? 'node-1'), labels);
  }
  return { at, key, of, uids: () => of('Pod').map(({ metadata }) => metadata.uid) };
}
function label({ server }: Harness, node: string, labels: Readonly<Record<string, string>>): void {
  const { metadata, ...rest } = server.get('Node', undefined, node)!;
  const { resourceVersion: _, ...kept } = metadata;
  server.put({ ...rest, metadata: { ...kept, labels: { ...metadata.labels, ...labels } } });
}
const nodesOf = (golden: string) =>
  (
    documents(join(GOLDENS, golden, 'objects.yaml')) as unknown as {
      kind: string;
      nodes: { node: string; labels: Record<string, string> }[];
    }[]
  )
    .filter(({ kind }) => kind === 'NodeLabels')
    .flatMap(({ nodes }) => nodes.slice(0, 1));
