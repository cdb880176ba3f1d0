/** The tests that a version of Kubernetes could change, by what they are about. Pure. */
import { type Counts, countReport, type FileReport } from '../test-counts.ts';

/** The columns of the table, and the tests of each below test/cluster. */
const TOPICS = {
  CRDs: ['crds', 'reserved-keys', 'validation'],
  'admission policies': ['policies', 'guarded-classes', 'takeover-try'],
  'API server suite': ['api-server', 'strategic-merge', 'tables'],
  client: ['kube'],
  install: ['install'],
  webhook: ['webhook', 'reconciler/webhook-scheduling', 'reconciler/sidecars'],
  'set-up to deletion': [
    'reconciler/runtimes',
    'reconciler/deletion',
    'reconciler/operations',
    'reconciler/binding',
    'reconciler/placement',
  ],
  drift: ['reconciler/drift', 'reconciler/edits', 'reconciler/ownership'],
} as const;
export type Topic = keyof typeof TOPICS;
export const TOPIC_NAMES = Object.keys(TOPICS) as readonly Topic[];

const fileOf = (name: string) => `test/cluster/${name}.test.ts`;
const filesOf = (topic: Topic): readonly string[] => TOPICS[topic].map(fileOf);

export const TOPIC_FILES: readonly string[] = TOPIC_NAMES.flatMap(filesOf);

/** The tests for `npm test`, which has a minute for them: CRDs, and set-up to deletion of every kind. */
export const SHORT_FILES: readonly string[] = ['crds', 'reconciler/runtimes', 'reconciler/deletion'].map(fileOf);

/** The counts of a topic; undefined when a file of it did not run. */
export function countTopic(topic: Topic, reports: readonly FileReport[]): Counts | undefined {
  const wanted = filesOf(topic);
  const files = reports.filter(({ file }) => wanted.includes(file));
  return files.length === wanted.length ? countReport(files, 0) : undefined;
}
