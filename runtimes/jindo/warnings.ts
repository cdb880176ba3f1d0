import type { PlanInput, Warning } from '../../src/constructs/index.ts';
import type { Source } from './mounts.ts';
import type { JindoRuntimeSpec } from './spec.ts';

export const specWarnings = (_input: PlanInput<JindoRuntimeSpec>, _sources: readonly Source[]): readonly Warning[] => [];
