import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import { type Harness, harness, type HarnessOptions } from './harness.ts';

/** The source is in `default`, the Dataset that refers to it, `demo`, in `ml`. */
const SHARED = 'data.fluid.io/shared-with';

export const inDefault = (object: KubeObject, annotations?: Record<string, string>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace: 'default', ...(annotations && { annotations }) },
});
export const start = async (options: HarnessOptions = {}): Promise<Harness> => {
  const at = await harness({ runtimes: [thin, juicefs], ...options });
  at.start();
  return at;
};
export function serve(at: Harness, sharedWith?: string): void {
  at.put(
    inDefault(write.openDataset('source', { accessModes: ['ReadWriteMany'] }), sharedWith === undefined ? {} : { [SHARED]: sharedWith }),
  );
  at.put(inDefault(write.thinRuntime('source', { profileName: 'profile' })));
}
export const refer = (at: Harness, mountPoint = 'dataset://default/source/train', more: object = {}) =>
  at.put(write.datasetObject('demo', { mounts: [{ mountPoint, name: 'r' }], ...more }));
export const share = (at: Harness, sharedWith: string) => {
  const dataset = at.server.get('Dataset', 'default', 'source')!;
  at.put({ ...dataset, metadata: { ...dataset.metadata, annotations: { ...dataset.metadata.annotations, [SHARED]: sharedWith } } });
};
export const synced = (at: Harness) => at.conditions('ThinRuntime')['Synced'];
export const statusOf = (at: Harness, namespace: string, name: string) =>
  at.server.get('Dataset', namespace, name)?.['status'] as { phase?: string; datasetRef?: string[]; mounts?: object[] };
