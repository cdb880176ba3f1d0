import type { KubeObject, ResourceType } from '../kube/types.ts';
import { parseSchedule } from './cron.ts';
import { isMap, type Json, type JsonMap } from './json.ts';
import { isBuiltIn } from './kinds.ts';
import type { Fault } from './refusals.ts';
import { invalidValue, required } from './schema/faults.ts';

const JOB = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];
/** Fields of a spec, by kind. */
const NEVER_NEGATIVE: Readonly<Record<string, readonly string[]>> = {
  CronJob: ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'],
  DaemonSet: ['minReadySeconds', 'revisionHistoryLimit'],
  Deployment: ['replicas', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'],
  Job: JOB,
  ReplicaSet: ['replicas', 'minReadySeconds'],
  StatefulSet: ['replicas', 'minReadySeconds'],
};

/** Values of workloads that controllers cannot carry out, in the words of Kubernetes' pkg/apis/apps/validation and pkg/apis/batch/validation. */
export function valueFaults(type: ResourceType, { spec }: KubeObject): readonly Fault[] {
  const fields = NEVER_NEGATIVE[type.kind];
  if (!fields || !isBuiltIn(type) || !isMap(spec as Json)) return [];
  const own = negativeFaults(spec as JsonMap, fields, 'spec');
  return type.kind === 'CronJob' ? [...own, ...cronJobFaults(spec as JsonMap)] : own;
}

const negativeFaults = (spec: JsonMap, fields: readonly string[], path: string): readonly Fault[] =>
  fields
    .filter((field) => Number(spec[field]) < 0)
    .map((field) => invalidValue(`${path}.${field}`, spec[field]!, 'must be greater than or equal to 0'));

function cronJobFaults({ schedule, timeZone, jobTemplate }: JsonMap): readonly Fault[] {
  const job = isMap(jobTemplate ?? null) ? (jobTemplate as JsonMap)['spec'] : undefined;
  return [
    ...scheduleFaults(schedule ?? ''),
    ...zoneFaults(timeZone ?? null),
    ...(isMap(job ?? null) ? negativeFaults(job as JsonMap, JOB, 'spec.jobTemplate.spec') : []),
  ];
}

function scheduleFaults(schedule: Json): readonly Fault[] {
  const field = 'spec.schedule';
  if (typeof schedule !== 'string' || schedule === '') return [required(field)];
  if (schedule.includes('TZ')) return [invalidValue(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  try {
    parseSchedule(schedule);
    return [];
  } catch (error) {
    return [invalidValue(field, schedule, (error as Error).message)];
  }
}

function zoneFaults(timeZone: Json): readonly Fault[] {
  if (typeof timeZone !== 'string') return [];
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return [];
  } catch {
    const why = timeZone === '' ? 'timeZone must be nil or non-empty string' : `unknown time zone ${timeZone}`;
    return [invalidValue('spec.timeZone', timeZone, why)];
  }
}
