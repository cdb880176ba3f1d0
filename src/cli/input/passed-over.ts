import { oneLine } from '../../api/index.ts';
import type { InputObjects } from './read.ts';

/** Kinds of Kubernetes that manifests of Sluice depend on. */
const READ: ReadonlySet<string> = new Set([
  'Secret',
  'ConfigMap',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StatefulSet',
  'DaemonSet',
  'Pod',
  'Job',
  'CronJob',
]);
/** More of them would say no more. */
const MOST_KINDS = 8;

const NOTHING = 'note: the input has no Dataset, no runtime and no operation';

/** Lines that say how many objects of which kinds were read for nothing, and if all were; none if all were of use. */
export function passedOver({ all, own, datasets, written, operations, faults }: InputObjects): readonly string[] {
  // A faulty object may be one of them.
  const nothing = datasets.length + written.length + operations.length + faults.length > 0 ? [] : [NOTHING];
  const others = all.filter(({ object }) => !own.has(object) && !READ.has(object.kind));
  if (others.length === 0) return nothing;
  const counts = [...Map.groupBy(others, ({ object }) => object.kind)].map(
    ([kind, { length }]) => `${length} ${oneLine(kind).slice(0, 63)}`,
  );
  const kinds = [...counts.slice(0, MOST_KINDS), ...(counts.length > MOST_KINDS ? ['…'] : [])].join(', ');
  return [...nothing, `note: passed over ${others.length} ${others.length === 1 ? 'object' : 'objects'} of other kinds: ${kinds}`];
}
