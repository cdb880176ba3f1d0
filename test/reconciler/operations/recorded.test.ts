/** Operations as Fluid's users write them, and the statuses that Fluid gave them: recorded beside the repository. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import alluxio from '../../../runtimes/alluxio/index.ts';
import juicefs from '../../../runtimes/juicefs/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import type { OperationStatus } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { alluxioFileSystem } from '../../support/alluxio-exec.ts';
import { GOLDENS, hasGoldens } from '../../upstream/cases.ts';
import { demo, type Harness, harness } from '../harness.ts';
import { statusOf } from './given.ts';

type Kind = Parameters<typeof statusOf>[2] & string;
interface Difference {
  readonly what: string;
  readonly why: string;
}
const ONE_EVENT = { what: 'events', why: 'Fluid reports a failure under two or three reasons, and again and again. One says it.' };

/** Each case, its operations, and where its statuses differ from those that were recorded. */
const CASES: readonly (readonly [name: string, operations: readonly (readonly [Kind, string])[], meant: readonly Difference[]])[] = [
  ['load-juicefs-min', [['DataLoad', 'op']], []],
  ['load-alluxio-min', [['DataLoad', 'op']], [{ what: 'events', why: 'They had expired when they were recorded.' }]],
  [
    'process-script',
    [['DataProcess', 'op']],
    [{ what: 'conditions', why: "Fluid copies the Job's first condition, which is not how it ended." }],
  ],
  ['process-job', [['DataProcess', 'op']], [{ what: 'conditions', why: 'As above.' }]],
  [
    'runafter-chain',
    [
      ['DataLoad', 'first'],
      ['DataLoad', 'second'],
    ],
    [],
  ],
  ['process-conflict-mountpath', [['DataProcess', 'op']], [ONE_EVENT, { what: 'conditions', why: 'The message names the field.' }]],
  [
    'ns-mismatch',
    [['DataLoad', 'op']],
    [
      { what: 'phase', why: 'Fluid looks for the Dataset in the other namespace for ever, and may not use it when it finds it.' },
      { what: 'conditions', why: 'So Fluid says nothing in the status.' },
      { what: 'duration', why: 'Nor this.' },
      { what: 'waitingFor', why: 'Nor this.' },
      { what: 'events', why: 'The reason is the one that Fluid has for a Dataset that it finds.' },
    ],
  ],
  [
    'load-thin-unsupported',
    [['DataLoad', 'op']],
    [
      ONE_EVENT,
      { what: 'conditions', why: 'The condition has the reason of the event.' },
      { what: 'duration', why: 'Empty, as of all that never ran; in Fluid, only of those that were refused at the first look.' },
    ],
  ],
];

describe.skipIf(!hasGoldens)('the status that Fluid gives', () => {
  test.each(CASES)('%s', async (name, operations, meant) => {
    const at = await applied(name);
    // The Job of this operation still ran when it was recorded.
    for (let i = 0; i < operations.length && name !== 'load-juicefs-min'; i++) await complete(at);
    const found = operations.flatMap(([kind, operation]) => {
      const ours = told(statusOf(at, operation, kind));
      const fluids = told(recorded(name, kind, operation));
      return Object.keys(ours).filter((field) => JSON.stringify(ours[field]) !== JSON.stringify(fluids[field]));
    });
    const events = new Set(
      at.events.filter(({ regarding }) => regarding.kind.startsWith('Data') && regarding.kind !== 'Dataset').map(({ reason }) => reason),
    );
    if (JSON.stringify([...events].toSorted()) !== JSON.stringify(recordedEvents(name))) found.push('events');
    expect([...new Set(found)].toSorted()).toEqual(meant.map(({ what }) => what).toSorted());
  });
  test('ns-mismatch and the others that fail say why, in the words of the user', async () => {
    const messages = [];
    for (const [name, [[kind, operation] = ['DataLoad', 'op'] as const]] of CASES.slice(-3)) {
      const at = await applied(name);
      messages.push(statusOf(at, operation, kind).conditions?.map(({ reason, message }) => `${reason}: ${message}`));
    }
    expect(messages).toMatchInlineSnapshot(`
      [
        [
          "ConflictMountPath: DataProcess ml/op: spec.processor.job.podSpec.containers[0].volumeMounts[0].mountPath: expected another path than spec.dataset.mountPath, found "/data"",
        ],
        [
          "TargetDatasetNamespaceNotSame: DataLoad ml/op: spec.dataset.namespace: expected ml, the namespace of the DataLoad, found "default"",
        ],
        [
          "DataOperationNotSupport: DataLoad ml/op: the runtime of Dataset demo is of kind ThinRuntime, which does not support DataLoad",
        ],
      ]
    `);
  });
});

/** The part of a status that does not depend on when it was written. */
const told = ({ phase = '', duration, waitingFor, conditions = [] }: Partial<OperationStatus>): Readonly<Record<string, unknown>> => ({
  phase,
  duration: /\d+s$/.test(duration ?? '') ? 'some time' : duration,
  waitingFor,
  conditions: conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message })),
});

/** The input of a case, in a cluster whose Datasets are bound. */
async function applied(name: string): Promise<Harness> {
  const at = await harness({ runtimes: [alluxio, juicefs, thin], exec: alluxioFileSystem().exec });
  for (const object of documents(name, 'input.yaml')) {
    const { stringData, ...rest } = object as KubeObject & { stringData?: Readonly<Record<string, string>> };
    const data = Object.entries(stringData ?? {}).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    at.put({ ...rest, ...(stringData && { data: Object.fromEntries(data) as object }) });
  }
  await at.quiet();
  return at;
}
/** The namespace is that of the test. */
const documents = (name: string, file: string): readonly KubeObject[] =>
  parseAllDocuments(readFileSync(join(GOLDENS, 'operations', name, file), 'utf8').replaceAll(`g-dataops-${name}`, demo.namespace))
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null);

function recorded(name: string, kind: string, operation: string): Partial<OperationStatus> {
  const found = documents(name, 'status.yaml').find((each) => each.kind === kind && each.metadata.name === operation);
  return (found?.['status'] ?? {}) as Partial<OperationStatus>;
}
/** Reasons of events on operations. */
function recordedEvents(name: string): readonly string[] {
  const lines = readFileSync(join(GOLDENS, 'operations', name, 'status.yaml'), 'utf8').split('\n');
  const reasons = lines.flatMap((line) => /^# event: \w+ (\w+) Data(?:Load|Process|Migrate|Backup)\//.exec(line)?.[1] ?? []);
  return [...new Set(reasons)].toSorted();
}

/** The pod of the Job that runs has done its work. */
async function complete(at: Harness): Promise<void> {
  const pod = at.server
    .all('Pod')
    .find((each) => /-job-/.test(each.metadata.name) && (each['status'] as { phase?: string }).phase === 'Running');
  if (!pod) return;
  at.put({ ...pod, status: { phase: 'Succeeded' } } as KubeObject);
  await at.quiet();
}
