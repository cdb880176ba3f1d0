import type { KubeObject, ObjectMeta, ResourceType } from '../kube/types.ts';
import { parseSchedule } from './cron.ts';
import { isMap, type Json, type JsonMap } from './json.ts';
import { isBuiltIn } from './kinds.ts';
import type { FieldFault } from './refusals.ts';
import { invalidValue, required } from './schema/faults.ts';
import { annotationsFaults, labelsFaults } from './schema/names.ts';

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
export function valueFaults(type: ResourceType, { metadata, spec }: KubeObject): readonly FieldFault[] {
  const fields = NEVER_NEGATIVE[type.kind];
  if (!fields || !isBuiltIn(type) || !isMap(spec as Json)) return [];
  const own = [...templateFaults(spec as JsonMap, 'spec'), ...negativeFaults(spec as JsonMap, fields, 'spec')];
  return type.kind === 'CronJob' ? [...own, ...cronJobFaults(spec as JsonMap), ...cronJobNameFaults(metadata)] : own;
}

/** Rule: ValidatePodTemplateSpec of pkg/apis/core/validation, whose paths leave `metadata` out. */
function templateFaults({ template }: JsonMap, path: string): readonly FieldFault[] {
  const { labels, annotations } = ((template ?? {}) as { readonly metadata?: ObjectMeta }).metadata ?? {};
  return [
    ...labelsFaults(labels ?? {}, `${path}.template.labels`),
    ...annotationsFaults(annotations ?? {}, `${path}.template.annotations`),
  ];
}

const negativeFaults = (spec: JsonMap, fields: readonly string[], path: string): readonly FieldFault[] =>
  fields
    .filter((field) => Number(spec[field]) < 0)
    .map((field) => invalidValue(`${path}.${field}`, spec[field]!, 'must be greater than or equal to 0'));

function cronJobFaults({ schedule, timeZone, jobTemplate }: JsonMap): readonly FieldFault[] {
  const job = isMap(jobTemplate ?? null) ? (jobTemplate as JsonMap)['spec'] : undefined;
  const path = 'spec.jobTemplate.spec';
  return [
    ...scheduleFaults(schedule ?? ''),
    ...zoneFaults(timeZone ?? null),
    ...(isMap(job ?? null) ? [...templateFaults(job as JsonMap, path), ...negativeFaults(job as JsonMap, JOB, path)] : []),
  ];
}

/** A label has the names of its Jobs, which end with eleven characters of their own. */
const MOST_OF_NAME = 63 - 11;
const cronJobNameFaults = ({ name }: ObjectMeta): readonly FieldFault[] =>
  name.length > MOST_OF_NAME ? [invalidValue('metadata.name', name, `must be no more than ${MOST_OF_NAME} characters`)] : [];

function scheduleFaults(schedule: Json): readonly FieldFault[] {
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

function zoneFaults(timeZone: Json): readonly FieldFault[] {
  if (typeof timeZone !== 'string') return [];
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return [];
  } catch {
    const why = timeZone === '' ? 'timeZone must be nil or non-empty string' : `unknown time zone ${timeZone}`;
    return [invalidValue('spec.timeZone', timeZone, why)];
  }
}
