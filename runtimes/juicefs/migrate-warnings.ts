import { parallelOptionNames } from '../../src/api/index.ts';
import { claimOf, ignored, type Operation, type Warning } from '../../src/constructs/index.ts';
import { unknownOptions } from './command-options.ts';
import type { JuiceFSPlan } from './plan.ts';
import { externalWarnings } from './migrate-external.ts';

/** Fields of a DataMigrate without effect on JuiceFS. */
export const migrateWarnings = (
  { spec }: Pick<Operation<'DataMigrate'>, 'spec'>,
  { source }: Pick<JuiceFSPlan, 'source'>,
): readonly Warning[] => [
  ...(['from', 'to'] as const).flatMap((field) => {
    const { dataset, externalStorage } = spec[field];
    if (!externalStorage) return [];
    const at = `spec.${field}.externalStorage`;
    if (dataset?.name) return [ignored(at, `has no effect beside spec.${field}.dataset`)];
    const { uri, encryptOptions = [] } = externalStorage;
    if (!claimOf(uri)) return externalWarnings(uri, encryptOptions, at);
    return encryptOptions.length > 0 ? [ignored(`${at}.encryptOptions`, 'has no effect; a claim needs no credentials')] : [];
  }),
  ...(spec.block === undefined ? [] : [ignored('spec.block', 'has no effect, as in Fluid')]),
  ...(spec.runtimeType && spec.runtimeType !== 'juicefs'
    ? [ignored('spec.runtimeType', `no Dataset of it has a runtime of type ${spec.runtimeType}; JuiceFS does the work`)]
    : []),
  ...(source.edition === 'community' ? unknownOptions('sync', spec.options) : []),
  ...parallelWarnings(spec),
];

function parallelWarnings({ parallelism = 1, parallelOptions = {} }: Operation<'DataMigrate'>['spec']): readonly Warning[] {
  const names = Object.keys(parallelOptions);
  if (parallelism <= 1) return names.length > 0 ? [ignored('spec.parallelOptions', 'has no effect while spec.parallelism is 1')] : [];
  const known: readonly string[] = parallelOptionNames;
  const unknown = names.filter((name) => !known.includes(name));
  return unknown.length > 0 ? [ignored('spec.parallelOptions', `${unknown.join(', ')}: expected ${known.join(', ')}`)] : [];
}
