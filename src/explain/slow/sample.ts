import { oneLine } from '../../api/index.ts';
import type { Diagnosis, PodCounters } from '../../constructs/index.ts';
import type { PodExec } from '../../kube/exec.ts';
import { CPU_COMMAND, cpuPeriods, type AskedPod } from './pods.ts';
import type { CpuPeriods, SampledPod } from './evidence.ts';

/** Bytes that one pod may print. */
const MOST_BYTES = 64 << 10;
const TIMEOUT_MS = 20_000;
const MOST_CHARACTERS = 300;
/** Pods of whose failures the notes tell. */
const MOST_FAILURES = 3;

/** One reading of pods. */
export interface PodReadings {
  readonly pods: readonly { readonly pod: AskedPod; readonly counters?: PodCounters; readonly cpu?: CpuPeriods }[];
  /** Why pods did not answer, by pod. */
  readonly failures: readonly { readonly pod: string; readonly error: string }[];
}

/** Asks these pods for their counters, and those with a CPU limit how often it stopped them. A pod that does not answer is a failure of its own. */
export async function readPods(exec: PodExec, pods: readonly AskedPod[], counters: Diagnosis<unknown>['counters']): Promise<PodReadings> {
  const failures: { pod: string; error: string }[] = [];
  const ask = async <T>(
    pod: AskedPod,
    container: string,
    argv: readonly string[],
    parse: (answer: string) => T,
  ): Promise<T | undefined> => {
    try {
      const where = { namespace: pod.namespace, pod: pod.name, container };
      return parse(await exec(where, argv, TIMEOUT_MS, MOST_BYTES));
    } catch (error) {
      failures.push({ pod: pod.name, error: oneLine(error instanceof Error ? error.message : String(error)).slice(0, MOST_CHARACTERS) });
      return undefined;
    }
  };
  const read = await Promise.all(
    pods.map(async (pod) => {
      const command = pod.isReady ? counters?.command(pod) : undefined;
      const container = command?.container ?? pod.container;
      const isLimited = pod.isReady && pod.role !== 'master' && pod.limits[container]?.cpu !== undefined;
      const [own, cpu] = await Promise.all([
        command && counters && ask(pod, container, command.argv, (answer) => counters.parse(answer, pod)),
        isLimited ? ask(pod, container, CPU_COMMAND, cpuPeriods) : undefined,
      ]);
      return { pod, ...(own && { counters: own }), ...(cpu && { cpu }) };
    }),
  );
  return { pods: read, failures };
}

/** Two readings of the same pods, side by side. A pod that answered only once has no counters. */
export function sampled(before: PodReadings, after: PodReadings, counters: Diagnosis<unknown>['counters']): readonly SampledPod[] {
  return after.pods.map(({ pod, counters: now, cpu }, i) => {
    const then = before.pods[i];
    const container = counters?.command(pod)?.container ?? pod.container;
    return {
      name: pod.name,
      role: pod.role,
      ...(pod.node !== undefined && { node: pod.node }),
      isReady: pod.isReady,
      ...(then?.counters && now && { counters: { before: then.counters, after: now } }),
      ...(then?.cpu && cpu && { cpu: { before: then.cpu, after: cpu } }),
      limits: pod.limits[container] ?? {},
    };
  });
}

/** Notes on failures: a right that is missing is told once. */
export function notesOf(failures: PodReadings['failures'], namespace: string): readonly string[] {
  const isDenied = ({ error }: PodReadings['failures'][number]) => /response: 403|forbidden/i.test(error);
  const denied = failures.some(isDenied);
  const others = [...new Map(failures.filter((each) => !isDenied(each)).map((each) => [each.pod, each])).values()];
  return [
    ...(denied
      ? [`counters of clients and caches: you may not run commands in pods of namespace ${namespace} (get and create pods/exec)`]
      : []),
    ...others.slice(0, MOST_FAILURES).map(({ pod, error }) => `pod ${pod} did not answer: ${error}`),
    ...(others.length > MOST_FAILURES ? [`${others.length - MOST_FAILURES} more pods did not answer`] : []),
  ];
}
