/** Fluid's statuses of a Dataset, and labels of nodes, beside ours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readReport } from '../../runtimes/alluxio/report.ts';
import { statusShape } from '../../runtimes/cache/status.ts';
import { readReport as readJindoReport } from '../../runtimes/jindo/probes.ts';
import type { CacheUse, UfsUsage } from '../../src/constructs/index.ts';
import { decide } from '../../src/reconciler/decide.ts';
import { cacheLabelKeys, cacheLabels } from '../../src/reconciler/kubernetes/nodes/cache-labels.ts';
import { bindingOf } from '../../src/planning/bindings.ts';
import { statusOf } from '../../src/reconciler/status/status.ts';
import { nothingApplied, type World } from '../../src/reconciler/world.ts';
import { GOLDENS, hasGoldens, readCases, withoutExclusive } from '../upstream/cases.ts';
import { claim, listed, now, pods, volume, worldOf } from './worlds.ts';

interface Recorded {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status: Record<string, unknown> & { readonly phase?: string; readonly conditions?: readonly Record<string, string>[] };
}
const documents = (file: string) =>
  parseAllDocuments(readFileSync(join(GOLDENS, file), 'utf8')).flatMap((each) => (each.toJS() as Recorded | null) ?? []);

const cases = readCases().flatMap((each) => {
  const recorded = documents(`${each.name}/status.yaml`);
  const dataset = recorded.find(({ kind, status }) => kind === 'Dataset' && status?.phase === 'Bound');
  const runtime = dataset && recorded.find(({ kind, metadata }) => kind.endsWith('Runtime') && metadata.name === dataset.metadata.name);
  return dataset && runtime && !isDifferent(each.name) ? [{ ...each, dataset, runtime }] : [];
});
type Case = (typeof cases)[number];

/** Reference datasets come later; a list of directories with commas is refused, as Fluid makes one directory of it. */
function isDifferent(name: string): boolean {
  return name.endsWith('reference') || name.endsWith('quotalist');
}

/** The canned answers of Fluid's pods: juicefs/ee-token and others. */
const CACHE: CacheUse = { cachedBytes: 2_464_154, hitRatio: 0.9, throughputRatio: 0.9, totalBytes: 4_086_513 };
const UFS: UfsUsage = { totalBytes: 4_100_096, files: 7 };

/** Those of an Alluxio, which all its cases had. */
const REPORT = readReport(
  `Cluster.BytesReadLocalThroughput  (Type: GAUGE, Value: 495.97KB/MIN)
Cluster.BytesReadUfsThroughput  (Type: GAUGE, Value: 787.17KB/MIN)
    Total Capacity: 4096.00MB
    Used Capacity: 443.89MB
underfs version: 3.3
`,
);
const ALLUXIO = { cache: REPORT, ufs: { totalBytes: 154_262_709_011, files: 1152 } };

/** Those of a Jindo: Fluid adds up one answer for each mount, and never learns how many files there are. */
const JINDO_REPORT = readJindoReport(
  `Total Disk Capacity: 250.38GB
Used Disk Capacity: 11.72GB
Total MEM Capacity: 250.38GB
Used MEM Capacity: 11.72GB
`,
  false,
);
const jindoAnswers = (mounts: number) => ({ cache: JINDO_REPORT, ufs: { totalBytes: 154_262_709_011 * mounts } });

const isAnswered = ({ dataset }: Pick<Case, 'dataset'>): boolean =>
  Boolean((dataset.status['cacheStates'] as Record<string, string> | undefined)?.['cached']?.endsWith('B'));

function answersOf(kind: string, mounts: number): World['probes'] {
  if (kind === 'AlluxioRuntime') return ALLUXIO;
  return kind === 'JindoRuntime' ? jindoAnswers(mounts) : { cache: CACHE, ufs: UFS };
}

/** The world that Fluid saw when it wrote its last status. */
function worldOfCase({ name: file, bind, dataset, runtime }: Case): World {
  const [plan] = bind();
  const { namespace, name } = runtime.metadata;
  const {
    desiredMasterNumberScheduled = 0,
    masterNumberReady = 0,
    masterPhase,
    desiredWorkerNumberScheduled = 0,
    workerNumberReady = 0,
    workerPhase,
  } = (runtime.kind === 'CacheRuntime' ? statusShape.read(runtime.status) : runtime.status) as unknown as Record<string, number>;
  const spec = (
    documents(`${file}/input.yaml`).find(({ kind, metadata }) => kind === 'Dataset' && metadata.name === name) as unknown as {
      spec: object;
    }
  ).spec;
  return {
    ...worldOf(),
    key: { namespace, name },
    bound: true,
    ...bindingOf(plan!),
    runtime: { apiVersion: '', kind: runtime.kind, metadata: { name, namespace }, spec: {} },
    dataset: { apiVersion: '', kind: 'Dataset', metadata: { name, namespace }, spec },
    workloads: {
      fuse: pods(0),
      ...(masterPhase !== undefined && String(masterPhase) !== '' && { master: pods(masterNumberReady, desiredMasterNumberScheduled) }),
      ...(workerPhase !== undefined && String(workerPhase) !== '' && { worker: pods(workerNumberReady, desiredWorkerNumberScheduled) }),
    },
    volume: volume('Bound'),
    claim: claim(),
    mounts: listed(plan!.mounts?.wanted ?? []),
    probes: !isAnswered({ dataset }) ? {} : answersOf(runtime.kind, plan!.mounts?.wanted.length ?? 0),
    now,
  };
}

/** The compared part of a status. Conditions lose their times, and those of ours that Fluid does not have. */
function comparable({ conditions, ...status }: Recorded['status'], ...without: readonly string[]): Record<string, unknown> {
  const kept = (conditions ?? [])
    .filter(({ type }) => !['Synced', 'NotReady', 'SpecWarning'].includes(String(type)))
    .map((condition) => ['type', 'status', 'reason', 'message'].map((field) => condition[field]));
  return { ...Object.fromEntries(Object.entries(status).filter(([field]) => !without.includes(field))), conditions: kept };
}
/** For Alluxio: Fluid asks for ratios once a minute only, reports the number of masters where the spec does, and often no engine. */
function alike({ dataset, runtime, ...rest }: Case): Case {
  if (runtime.kind === 'JindoRuntime') return likeJindo({ dataset, runtime, ...rest });
  if (runtime.kind === 'CacheRuntime') return likeCache({ dataset, runtime, ...rest });
  if (runtime.kind === 'EFCRuntime') return likeEfc({ dataset, runtime, ...rest });
  if (runtime.kind === 'VineyardRuntime') return likeVineyard({ dataset, runtime, ...rest });
  if (runtime.kind !== 'AlluxioRuntime') return { ...rest, dataset, runtime };
  const plain = ({ status, ...object }: Recorded): Recorded => ({
    ...object,
    status: { ...status, cacheStates: SAID, ...(status['valueFile'] === '' && { valueFile: `${object.metadata.name}-alluxio-values` }) },
  });
  const [server] = (dataset.status['runtimes'] ?? []) as object[];
  const recorded = plain(dataset);
  return {
    ...rest,
    runtime: plain(runtime),
    dataset: { ...recorded, status: { ...recorded.status, runtimes: [{ ...server, masterReplicas: 1 }] } },
  };
}
const FUSES_INITIALIZED = {
  type: 'FusesInitialized',
  status: 'True',
  reason: 'Fuses are initialized',
  message: 'The fuse is initialized.',
};

/**
 * For Jindo: Fluid never learns the number of files, keeps no mounts in the status, and reports the number of masters only if it is three.
 */
function likeJindo({ dataset, runtime, ...rest }: Case): Case {
  const { fileNum: _, ...status } = dataset.status;
  const [server] = (status['runtimes'] ?? []) as object[];
  const { spec } = worldOfCase({ dataset, runtime, ...rest }).dataset as unknown as { spec: { mounts: readonly object[] } };
  const masters = Number(runtime.status['desiredMasterNumberScheduled']);
  const said = { ...status, mounts: spec.mounts, runtimes: [{ ...server, ...(masters > 0 && { masterReplicas: masters }) }] };
  // As of any runtime without masters and workers.
  const conditions = masters > 0 ? runtime.status.conditions : [FUSES_INITIALIZED, ...(runtime.status.conditions ?? [])];
  return {
    ...rest,
    runtime: { ...runtime, status: { ...runtime.status, ...(conditions && { conditions }) } },
    dataset: { ...dataset, status: said },
  };
}

/** For EFC: Fluid does not name the engine, nor where its cache can be, so that no pod is scheduled close to it. */
function likeEfc({ dataset, runtime, ...rest }: Case): Case {
  const { cacheAffinity } = ours({ dataset, runtime, ...rest }).runtime;
  expect(cacheAffinity).toBeDefined();
  const status = { ...runtime.status, valueFile: `${runtime.metadata.name}-efc-values`, cacheAffinity };
  return { ...rest, dataset, runtime: { ...runtime, status } };
}

/** For a cache by class: Fluid names its workers and clients in words of their own, and waits for clients that nobody wants. */
function likeCache({ dataset, runtime, ...rest }: Case): Case {
  const { master, worker } = statusShape.read(runtime.status) && (runtime.status as Record<string, { desiredReplicas: number }>);
  const [server] = (dataset.status['runtimes'] ?? []) as object[];
  const runtimes = [{ ...server, ...(master && { masterReplicas: master.desiredReplicas }) }];
  const client = { phase: 'Ready', desiredReplicas: 0, currentReplicas: 0, readyReplicas: 0, availableReplicas: 0 };
  const told = (ours({ dataset, runtime, ...rest }).runtime.conditions ?? []) as Recorded['status']['conditions'];
  expect(told?.map(({ type, status }) => `${type}=${status}`)).toEqual(
    expect.arrayContaining(['MasterInitialized=True', 'MasterReady=True', ...(worker ? ['WorkersReady=True'] : []), 'FusesReady=True']),
  );
  return {
    ...rest,
    runtime: { ...runtime, status: { ...runtime.status, client, ...(told && { conditions: told }) } },
    dataset: { ...dataset, status: { ...dataset.status, runtimes } },
  };
}

/**
 * For Vineyard: Fluid reports neither the size of the memory nor its place, often no engine, and the number of masters where the spec does.
 */
function likeVineyard({ dataset, runtime, ...rest }: Case): Case {
  const { cacheAffinity, cacheStates } = ours({ dataset, runtime, ...rest }).runtime;
  expect(cacheAffinity).toBeDefined();
  expect(cacheStates).toEqual({ cacheCapacity: expect.stringMatching(/^\d+\.00GiB$/) });
  const [server] = (dataset.status['runtimes'] ?? []) as object[];
  const runtimes = [{ ...server, masterReplicas: runtime.status['desiredMasterNumberScheduled'] }];
  const valueFile = `${runtime.metadata.name}-vineyard-values`;
  return {
    ...rest,
    runtime: { ...runtime, status: { ...runtime.status, valueFile, cacheAffinity, cacheStates } },
    dataset: { ...dataset, status: { ...dataset.status, runtimes, cacheStates } },
  };
}

/** The figures in all of its cases, once it has asked. */
const SAID = {
  cacheCapacity: '4.00GiB',
  cached: '443.89MiB',
  cachedPercentage: '0.3%',
  cacheHitRatio: '0.0%',
  localHitRatio: '0.0%',
  remoteHitRatio: '0.0%',
  cacheThroughputRatio: '38.7%',
  localThroughputRatio: '38.7%',
  remoteThroughputRatio: '0.0%',
};
const ours = (each: Case) => statusOf(worldOfCase(each), decide(worldOfCase(each)), nothingApplied);

describe.skipIf(!hasGoldens)('the status of a dataset that Fluid bound', () => {
  test('was recorded', () => expect(cases.length).toBeGreaterThan(7));

  test.each(cases.map(alike))('$name: the Dataset', (each) => {
    // Where its pods did not exist yet, Fluid was still calculating, or took nothing for an answer.
    const unlike = ['observedGeneration', ...(isAnswered(each) ? [] : ['ufsTotal', 'fileNum'])];
    expect(comparable(ours(each).dataset as Recorded['status'], ...unlike)).toEqual(comparable(each.dataset.status, ...unlike));
  });

  test.each(cases.map(alike))('$name: the runtime', (each) => {
    const unlike = ['observedGeneration', 'setupDuration', 'selector', 'mountTime'];
    const { runtime } = ours(each);
    const shown = each.runtime.kind === 'CacheRuntime' ? statusShape.write(runtime, each.runtime.metadata.name) : runtime;
    expect(comparable(shown as Recorded['status'], ...unlike)).toEqual(comparable(each.runtime.status, ...unlike));
    // Fluid sets it for some.
    expect(runtime.selector).toMatch(
      /^(app=\w+,release=[-\w]+,role=\w+-(worker|fuse)|cacheruntime.fluid.io\/component-name=[-\w]+-worker,cacheruntime.fluid.io\/name=[-\w]+)$/,
    );
  });
});

describe.skipIf(!hasGoldens)('the labels of nodes that Fluid set', () => {
  const labelled = readCases().filter(({ name, nodes }) => nodes.length > 0 && !isDifferent(name));
  test('were recorded', () => expect(labelled.length).toBeGreaterThan(3));

  test.each(labelled)('$name', ({ bind, nodes }) => {
    const { plan } = bind()[0]!;
    const { fluid_exclusive: _, 'fluid.io/dataset-num': __, ...ours } = cacheLabels(plan);
    // Fluid does not read the tiers of a CacheRuntime, and reports 0B for all of them.
    const isSize = (key: string) => plan.engine === 'cache' && key.startsWith('fluid.io/s-h-');
    const told = (labels: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(labels).filter(([key]) => !isSize(key)));
    for (const { labels } of nodes) expect(told(ours)).toEqual(told(withoutExclusive(labels)));
    expect(cacheLabelKeys(plan.engine, plan.dataset)).toEqual(expect.arrayContaining(Object.keys(ours)));
  });
});
