import type { OperationSpec } from './contract.ts';
import { ignored, type Warning } from './warnings.ts';

const AFFINITIES: readonly string[] = ['', 'Require', 'Prefer'];

/** Fields that have no effect on any engine, since others are as they are. */
export function generalWarnings({ policy = 'Once', schedule, ttlSecondsAfterFinished: ttl, runAfter }: OperationSpec): readonly Warning[] {
  const affinity = runAfter?.affinityStrategy?.policy ?? '';
  return [
    ...(schedule && policy !== 'Cron' ? [ignored('spec.schedule', 'has no effect without policy Cron')] : []),
    ...(ttl !== undefined && policy !== 'Once' ? [ignored('spec.ttlSecondsAfterFinished', `has no effect with policy ${policy}`)] : []),
    ...(AFFINITIES.includes(affinity)
      ? []
      : [ignored('spec.runAfter.affinityStrategy.policy', 'has no effect; expected Require or Prefer')]),
  ];
}
