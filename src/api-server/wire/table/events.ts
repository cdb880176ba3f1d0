/** Columns of Events of both groups. Rule: kubernetes/pkg/printers/internalversion, `printEvent`. */
import type { KubeObject } from '../../../kube/types.ts';
import { ageOf } from './ages.ts';
import { column, nameColumn, type TableColumn, wide } from './columns.ts';
import { at, countAt, textAt } from './read.ts';

/** The same field as core/v1 and as events.k8s.io name it. */
const field = (event: KubeObject, core: string, renamed: string): unknown => at(event, core) ?? at(event, renamed);

const objectOf = (event: KubeObject): unknown => field(event, 'involvedObject', 'regarding');
const firstSeen = (event: KubeObject): unknown => field(event, 'firstTimestamp', 'deprecatedFirstTimestamp') ?? at(event, 'eventTime');
const lastSeen = (event: KubeObject): unknown => {
  if (at(event, 'series') !== undefined) return at(event, 'series', 'lastObservedTime');
  return field(event, 'lastTimestamp', 'deprecatedLastTimestamp') ?? firstSeen(event);
};

function countOf(event: KubeObject): number {
  if (at(event, 'series') !== undefined) return countAt(event, 'series', 'count');
  return countAt(event, 'count') || countAt(event, 'deprecatedCount') || 1;
}

function targetOf(event: KubeObject): string {
  const object = objectOf(event);
  const kind = textAt(object, 'kind').toLowerCase();
  const name = textAt(object, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceOf(event: KubeObject): string {
  const source = field(event, 'source', 'deprecatedSource');
  const component = textAt(source, 'component') || textAt(event, 'reportingComponent') || textAt(event, 'reportingController');
  const instance = textAt(source, 'host') || textAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

export const event: readonly TableColumn[] = [
  column('Last Seen', (object, now) => ageOf(lastSeen(object), now)),
  column('Type', (object) => textAt(object, 'type')),
  column('Reason', (object) => textAt(object, 'reason')),
  column('Object', targetOf),
  wide('Subobject', (object) => textAt(objectOf(object), 'fieldPath')),
  wide('Source', sourceOf),
  column('Message', (object) => (textAt(object, 'message') || textAt(object, 'note')).trim()),
  wide('First Seen', (object, now) => ageOf(firstSeen(object), now)),
  wide('Count', countOf),
  { ...nameColumn, definition: { ...nameColumn.definition, priority: 1 } },
];
