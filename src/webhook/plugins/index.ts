import type { Plugin } from '../admission.ts';
import { datasetUsage } from './dataset-usage.ts';
import { mountPropagation } from './mount-propagation.ts';

/** All plugins that a profile may name. */
export const plugins: readonly Plugin[] = [mountPropagation, datasetUsage];
