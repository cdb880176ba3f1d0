/** Take-overs that tests disturb, and states that none of them may show. */
import { onTestFinished } from 'vitest';
import { WRITES } from '../../../src/api-server/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { type MemoryExec, memoryExec } from '../../support/memory-exec.ts';
import type { Harness } from '../harness.ts';
import { fluidsCache } from './fluids-cache.ts';
import { takenOver } from './taken-over.ts';

type Scene = (engines?: MemoryExec) => Promise<{ readonly at: Harness }>;
/** Each with the engines that are given, which remember their mounts. */
export const scenes: Readonly<Record<string, Scene>> = {
  alluxio: ({ exec } = memoryExec()) => takenOver('alluxio/mem-basic', { options: { exec, probeMs: 60_000 } }),
  efc: ({ exec } = memoryExec()) => takenOver('efc/basic', { options: { exec } }),
  jindo: ({ exec } = memoryExec()) => takenOver('jindo/oss-basic', { options: { exec } }),
  jindo105: ({ exec } = memoryExec()) => takenOver('jindo/oss-basic', { options: { exec }, changed: (object) => object }),
  juicefs: ({ exec } = memoryExec()) => takenOver('juicefs/ce-min', { options: { exec } }),
  thin: ({ exec } = memoryExec()) => takenOver('thin/plain-min', { options: { exec } }),
  vineyard: ({ exec } = memoryExec()) => takenOver('vineyard/default', { options: { exec }, changed: (object) => object }),
  cache: fluidsCache,
};

export const cacheLabels = ({ server }: Harness): readonly string[] =>
  server
    .all('Node')
    .flatMap(({ metadata: { name, labels = {} } }) =>
      Object.entries(labels).flatMap(([key, value]) =>
        /^fluid.io\/(s-|f-)|^fluid_exclusive/.test(key) ? [`${name} ${key}=${value}`] : [],
      ),
    );
const podsOf = ({ server }: Harness): readonly (string | undefined)[] => server.all('Pod').map(({ metadata }) => metadata.uid);
export const statusOf = (object: KubeObject) =>
  object['status'] as { readonly phase?: string; readonly conditions?: readonly { type: string; status: string; message?: string }[] };

/** States that must never be seen. The test looks for them after each write of the controller, and each second. */
export function watch(at: Harness): { readonly seen: readonly string[] } {
  const seen = new Set<string>();
  const pods = podsOf(at);
  const labels = cacheLabels(at).filter((label) => !label.includes('fluid_exclusive'));
  const look = () => {
    for (const dataset of at.server.all('Dataset')) {
      const { phase } = statusOf(dataset);
      if (phase !== 'Bound')
        seen.add(
          `the Dataset is ${phase}: ${JSON.stringify(statusOf(dataset).conditions?.map(({ type, status, message }) => `${type} ${status} ${message}`))}`,
        );
    }
    for (const object of at.server.all())
      for (const { message = '' } of (object.kind.endsWith('Runtime') && statusOf(object)?.conditions) || [])
        if (/ gone/.test(message)) seen.add(message);
    const now = new Set(cacheLabels(at));
    for (const label of labels) if (!now.has(label)) seen.add(`lost ${label}`);
    const left = new Set(podsOf(at));
    if (!pods.every((uid) => left.has(uid))) seen.add('a pod was deleted');
  };
  at.server.rules.add({ verb: WRITES }, { after: look });
  const beat = setInterval(look, 1000);
  onTestFinished(() => clearInterval(beat));
  return {
    get seen() {
      look();
      return [...seen];
    },
  };
}
