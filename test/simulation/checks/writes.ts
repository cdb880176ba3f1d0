import { runtimes } from '../../../runtimes/_all.gen.ts';
import { annotation, label, operationKinds } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { WRITES } from '../../../src/api-server/rules.ts';
import type { ApiServer } from '../../../src/api-server/index.ts';
import type { WireAnswer } from '../../../src/api-server/wire/answers.ts';
import type { WireRequest } from '../../../src/api-server/wire/requests.ts';
import { isUnfinished } from '../machines.ts';
import { nameOf } from '../plan.ts';
import type { Process } from '../time.ts';
import { holderOf } from '../world.ts';

const RUNTIMES = new Set(runtimes.map(({ resource }) => resource.kind));
const OPERATIONS = new Set(operationKinds.map(({ kind }) => kind));
const USERS = new Set(['Dataset', ...RUNTIMES, ...OPERATIONS, ...runtimes.flatMap(({ companions }) => companions.map(({ kind }) => kind))]);
/** The annotations and labels that the controller may write on objects of users (docs/reference/objects.md). */
const OUR_ANNOTATIONS = new Set<string>([annotation.identity, annotation.ports]);
const OUR_LABELS = new Set<string>([label.datasetId]);

/** Looks at each write of the controllers as the server has taken it. Returns what is wrong with it. */
export interface WriteCheck {
  sent(process: Process, request: WireRequest): string | undefined;
  answered(process: Process, request: WireRequest, answer: WireAnswer, before: KubeObject | undefined): string | undefined;
}

/** @param mayWrite whether the times of the election let a process write that does not hold the Lease */
export function createWriteCheck(
  server: ApiServer,
  isUsers: (uid: string) => boolean,
  mayWrite: (process: Process) => boolean,
): WriteCheck {
  return {
    /** No write outside of the lease. What waits in the network may arrive later; the lease's duration leaves two seconds for that. */
    sent(process, { verb, type, name }) {
      if (!WRITES.includes(verb) || type.kind === 'Lease') return undefined;
      const holder = holderOf(server);
      // The times of a Lease that a user deleted decide: see the check of the election.
      return holder === undefined || holder === process.name || mayWrite(process)
        ? undefined
        : `${process.name} sent ${verb} ${type.kind} ${name ?? ''} while ${holder || 'nobody'} held the Lease`;
    },
    answered(_, request, { status }, before) {
      if (!WRITES.includes(request.verb) || status >= 300) return undefined;
      if (request.type.kind === 'Job' && request.verb === 'create') return secondJob(server, request.body as KubeObject);
      if (!before?.metadata.uid) return undefined;
      if (!USERS.has(before.kind) && !isUsers(before.metadata.uid)) return undefined;
      const after = server.get(before.kind, before.metadata.namespace, before.metadata.name);
      if (request.verb === 'delete') return deletion(server, before);
      return after && changes(before, after);
    },
  };
}

/** No two Jobs of one operation run. */
function secondJob(server: ApiServer, created: KubeObject): string | undefined {
  const owner = created.metadata.ownerReferences?.find(({ kind }) => OPERATIONS.has(kind));
  const running = server
    .all('Job')
    .filter((job) => isUnfinished(job) && job.metadata.ownerReferences?.some(({ uid }) => uid === owner?.uid));
  return owner && running.length > 1
    ? `${running.length} Jobs of ${owner.kind} ${owner.name} run: ${running.map(({ metadata }) => metadata.name).join(', ')}`
    : undefined;
}

/** A runtime goes with its Dataset; nothing else of a user is deleted. */
function deletion(server: ApiServer, object: KubeObject): string | undefined {
  if (RUNTIMES.has(object.kind)) {
    const { namespace, name, ownerReferences = [] } = object.metadata;
    const dataset = server.get('Dataset', namespace, name);
    if (dataset?.metadata.deletionTimestamp && ownerReferences.some(({ uid }) => uid === dataset.metadata.uid)) return undefined;
  }
  if (OPERATIONS.has(object.kind) && (object['spec'] as { ttlSecondsAfterFinished?: number }).ttlSecondsAfterFinished !== undefined)
    return undefined;
  return `the controller deleted ${nameOf(object)}`;
}

function changes(before: KubeObject, after: KubeObject): string | undefined {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  for (const field of ['spec', 'data', 'fileSystemType', 'topology'])
    if (!same(before[field], after[field])) return `the controller changed ${field} of ${nameOf(before)}`;
  const [old, young] = [before.metadata, after.metadata];
  const label = changedKeys(old.labels, young.labels).find((key) => !OUR_LABELS.has(key));
  if (label !== undefined) return `the controller changed the label ${label} of ${nameOf(before)}`;
  const noted = changedKeys(old.annotations, young.annotations).find((key) => !OUR_ANNOTATIONS.has(key));
  return noted === undefined ? undefined : `the controller changed the annotation ${noted} of ${nameOf(before)}`;
}

const changedKeys = (a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): readonly string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key]);
