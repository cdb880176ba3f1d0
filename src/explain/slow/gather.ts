import pLimit from 'p-limit';
import { Dataset, type DatasetSpec, type DatasetStatus, ownerUid, parse, quantity, textBytes, type TierLevel } from '../../api/index.ts';
import type { Diagnosis, Role, Runtime } from '../../constructs/index.ts';
import { type Clock, sleep, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isNotFound } from '../../kube/errors.ts';
import type { PodExec } from '../../kube/exec.ts';
import type { KubeObject } from '../../kube/types.ts';
import { objectText } from '../../planning/key.ts';
import { Pod, typeOf } from '../../planning/kinds.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import { liveEngine, phaseOf } from '../../planning/views.ts';
import { datasetsOf } from '../../reconciler/operations.ts';
import { type ExplainInput, podSelector, readiness } from '../gather.ts';
import type { CacheLevel, CostlyOption, SlowEvidence } from './evidence.ts';
import { type AskedPod, askedPod } from './pods.ts';
import { notesOf, readPods, sampled } from './sample.ts';

export interface Sampling {
  readonly client: KubeClient;
  readonly exec: PodExec;
  readonly runtimes: readonly Runtime[];
  /** Seconds between the two readings. */
  readonly seconds: number;
  readonly clock?: Clock;
}

/** Commands at a time, in pods of all Datasets: each is a connection. */
const AT_ONCE = 16;
/** Pods of one workload that are asked. */
const MOST_PODS = 32;
const ROLES: readonly Role[] = ['master', 'worker', 'fuse'];

/** A runtime whose Dataset is read slowly. */
interface Subject {
  readonly dataset: KubeObject;
  readonly object: KubeObject;
  readonly definition: Runtime;
}

/** Evidence of each Dataset among the objects, and of those whose runtimes are: pods are read twice, all at the same time. */
export async function gatherSlow(input: ExplainInput, sampling: Sampling): Promise<readonly SlowEvidence[]> {
  const { seconds, clock = systemClock } = sampling;
  const limit = pLimit(AT_ONCE);
  const exec: PodExec = (...command) => limit(() => sampling.exec(...command));
  const cases = await Promise.all((await subjects(input, sampling)).map((subject) => begun(subject, input, sampling)));
  const read = () => Promise.all(cases.map(({ pods, diagnosis }) => readPods(exec, pods, diagnosis?.counters)));
  const before = await read();
  const began = clock.monotonic();
  if (before.some(({ pods }) => pods.some(({ counters, cpu }) => counters ?? cpu))) await sleep(clock, seconds * 1000);
  const elapsed = Math.max(1, Math.round((clock.monotonic() - began) / 1000));
  const after = await read();
  return cases.map(({ known, diagnosis, notes }, i) => {
    const [first, second] = [before[i], after[i]];
    if (!first || !second) throw new Error('expected a reading of each Dataset');
    const namespace = known.object.slice(known.object.indexOf(' ') + 1).split('/')[0] ?? '';
    return {
      ...known,
      seconds: elapsed,
      pods: sampled(first, second, diagnosis?.counters),
      notes: [...notes, ...notesOf([...first.failures, ...second.failures], namespace)],
    };
  });
}

async function subjects({ objects, runtimes }: ExplainInput, { client, runtimes: definitions }: Sampling): Promise<readonly Subject[]> {
  const key = ({ metadata: { namespace = '', name } }: KubeObject) => `${namespace}/${name}`;
  const asked = new Set(objects.filter((each) => each.kind === Dataset.kind || runtimes.includes(each)).map(key));
  const found: Subject[] = [];
  for (const object of runtimes.filter((each) => asked.has(key(each)))) {
    const { name, namespace = '' } = object.metadata;
    const definition = definitions.find(({ resource }) => resource.kind === object.kind);
    const listed = objects.find((each) => each.kind === Dataset.kind && key(each) === key(object));
    const dataset = listed ?? (await client.get(typeOf(Dataset), { namespace, name }).catch(undefinedIfAbsent));
    if (definition && dataset) found.push({ dataset, object, definition });
  }
  return found;
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** All that is known before pods are asked. */
async function begun({ dataset, object, definition }: Subject, input: ExplainInput, { client }: Sampling) {
  const { name, namespace = '' } = object.metadata;
  const names = definition.workloads(name);
  const notes: string[] = [];
  const workloads = input.workloads.filter((each) => ownerUid(each) === object.metadata.uid);
  const pods: AskedPod[] = [];
  for (const role of ROLES)
    for (const workload of workloads.filter(({ metadata }) => metadata.name === names[role])) {
      const { items } = await client.list(Pod, { namespace, labelSelector: podSelector(workload) });
      const all = items.map((pod) => askedPod(pod, role)).toSorted((a, b) => Number(b.isReady) - Number(a.isReady));
      pods.push(...all.slice(0, MOST_PODS));
      if (all.length > MOST_PODS) notes.push(`${all.length - MOST_PODS} of ${all.length} ${role} pods were not asked`);
    }
  const workers = workloads.find(({ metadata }) => metadata.name === names.worker);
  // The cast: what a runtime's kind has is what its definition parses; the engine is read of its status.
  const diagnosis = definition.diagnosis(liveEngine(definition, object as unknown as RuntimeObject));
  if (diagnosis?.counters === undefined) notes.push(`counters: clients of a ${object.kind} print none that are known`);
  const specs = specsOf(dataset, object, definition, notes);
  const cache = specs && diagnosis?.cache(specs);
  const known: Omit<SlowEvidence, 'seconds' | 'pods' | 'notes'> = {
    object: objectText(dataset),
    runtime: objectText(object),
    ...(cache ? { cache } : workers && { cache: { in: 'worker', field: 'spec.tieredstore.levels' } }),
    ...(workers && { workers: { ready: readiness(workers).ready, wanted: readiness(workers).desired } }),
    levels: levelsOf(object),
    options: specs && diagnosis ? costlyOptions(diagnosis, specs) : [],
    ...sizeOf(dataset),
    ...statusOf(dataset),
    loaded: input.operations.filter((each) => isLoadOf(each, name, namespace)).map(objectText),
    knowsOptions: diagnosis?.chosen !== undefined,
  };
  return { known, pods, diagnosis, notes };
}

function specsOf(dataset: KubeObject, object: KubeObject, { resource }: Runtime, notes: string[]) {
  try {
    return { dataset: parse(Dataset, dataset).spec as DatasetSpec, spec: parse(resource, object).spec as unknown };
  } catch (error) {
    notes.push(`options of the client: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function costlyOptions(
  { costs = [], chosen }: Diagnosis<unknown>,
  specs: Parameters<Diagnosis<unknown>['cache']>[0],
): readonly CostlyOption[] {
  return (chosen?.(specs) ?? []).flatMap(({ field, name, value }) =>
    costs.filter((cost) => cost.name === name && cost.isCostly(value)).map((cost) => ({ field, value: value.slice(0, 100), cost })),
  );
}

/** Levels of the cache, as most kinds of runtimes have them. */
function levelsOf({ spec }: KubeObject): readonly CacheLevel[] {
  const { levels } = ((spec ?? {}) as { tieredstore?: { levels?: readonly Partial<TierLevel>[] } }).tieredstore ?? {};
  return (Array.isArray(levels) ? (levels as readonly Partial<TierLevel>[]) : []).map(({ mediumtype = '', quota }, i) => {
    const field = `spec.tieredstore.levels[${i}]`;
    const quotaBytes = quotaOf(quota, `${field}.quota`);
    return { field, medium: mediumtype, ...(quotaBytes !== undefined && { quotaBytes }) };
  });
}
function quotaOf(quota: string | number | undefined, field: string): number | undefined {
  try {
    return quota === undefined ? undefined : quantity(quota, field);
  } catch {
    return undefined;
  }
}

/** The size of all data, as the status says it. One that was counted while there was none says nothing. */
function sizeOf({ status }: KubeObject): Pick<SlowEvidence, 'dataBytes'> {
  const { ufsTotal = '' } = (status ?? {}) as DatasetStatus;
  const dataBytes = textBytes(ufsTotal);
  return dataBytes ? { dataBytes } : {};
}

/** Ratios are texts such as `90.1%`; an engine that does not know one writes none. */
function statusOf({ status }: KubeObject): Pick<SlowEvidence, 'status'> {
  const { cacheHitRatio, localHitRatio, cached = '', cacheCapacity = '' } = ((status ?? {}) as DatasetStatus).cacheStates ?? {};
  const [hits, localHits] = [ratioOf(cacheHitRatio), ratioOf(localHitRatio)];
  const [cachedBytes, capacityBytes] = [textBytes(cached), textBytes(cacheCapacity)];
  if (hits === undefined) return {};
  return {
    status: {
      hits,
      ...(localHits !== undefined && { localHits }),
      ...(cachedBytes !== undefined && { cachedBytes }),
      ...(capacityBytes !== undefined && { capacityBytes }),
    },
  };
}
function ratioOf(text: string | undefined): number | undefined {
  const [, percent] = /^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(text ?? '') ?? [];
  return percent === undefined || Number(percent) > 100 ? undefined : Number(percent) / 100;
}

const isLoadOf = (operation: KubeObject, name: string, namespace: string): boolean =>
  operation.kind === 'DataLoad' &&
  operation.metadata.namespace === namespace &&
  phaseOf(operation) === 'Complete' &&
  datasetsOf(operation).some((dataset) => dataset.name === name);
