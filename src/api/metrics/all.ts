import { buildRows, processRows, tallyRows, watchRows, workRows } from './controller.ts';
import { datasetRows } from './dataset.ts';
import { nodeRows } from './node.ts';
import type { MetricRows } from './row.ts';
import { admissionRows, validationRows } from './webhook.ts';

/** Every metric that a program of Sluice serves, but those of the process (`process_…`, `nodejs_…`). */
export const allRows = {
  ...workRows,
  ...processRows,
  ...tallyRows,
  ...watchRows,
  ...datasetRows,
  ...nodeRows,
  ...admissionRows,
  ...validationRows,
  ...buildRows,
} as const satisfies MetricRows;
