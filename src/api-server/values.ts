import type { KubeObject, ObjectMeta, ResourceType } from '../kube/types.ts';
import { parseSchedule } from './cron.ts';
import { isMap, type Json, type JsonMap } from './json.ts';
import { isBuiltIn } from './kinds.ts';
import type { FieldFault } from './refusals.ts';
import { invalidValue, required, unsupported } from './schema/faults.ts';
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
  const { kind } = type;
  const fields = NEVER_NEGATIVE[kind];
  if (!fields || !isBuiltIn(type) || !isMap(spec as Json)) return [];
  const own = negativeFaults(spec as JsonMap, fields, 'spec');
  return kind === 'CronJob'
    ? [...own, ...cronJobFaults(spec as JsonMap), ...cronJobNameFaults(metadata)]
    : [...templateFaults(spec as JsonMap, 'spec', kind === 'Job'), ...own];
}

interface Template {
  readonly metadata?: ObjectMeta;
  readonly spec?: { readonly restartPolicy?: string };
}

/** Rules: ValidatePodTemplateSpec of pkg/apis/core/validation, whose paths leave `metadata` out, and what each kind demands of its pods. */
function templateFaults({ selector, template }: JsonMap, path: string, isJob: boolean): readonly FieldFault[] {
  const { metadata, spec } = (template ?? {}) as Template;
  const { labels = {}, annotations = {} } = metadata ?? {};
  const { matchLabels = {} } = (selector ?? {}) as { readonly matchLabels?: Readonly<Record<string, string>> };
  const isSelected = isJob || Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return [
    ...labelsFaults(labels, `${path}.template.labels`),
    ...annotationsFaults(annotations, `${path}.template.annotations`),
    ...(isSelected ? [] : [invalidValue(`${path}.template.metadata.labels`, labels, '`selector` does not match template `labels`')]),
    ...(spec ? restartFaults(spec.restartPolicy ?? 'Always', `${path}.template.spec.restartPolicy`, isJob) : []),
  ];
}

function restartFaults(policy: string, field: string, isJob: boolean): readonly FieldFault[] {
  if (isJob) return policy === 'Always' ? [required(field, 'valid values: "OnFailure", "Never"')] : [];
  return policy === 'Always' ? [] : [unsupported(field, policy, ['Always'])];
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
    ...(isMap(job ?? null) ? [...templateFaults(job as JsonMap, path, true), ...negativeFaults(job as JsonMap, JOB, path)] : []),
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
