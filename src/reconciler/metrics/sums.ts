import type { Dataset } from '../../api/index.ts';
import { ADDITIVE, type FigureName } from '../../api/metrics/dataset.ts';
import type { RuntimeCandidate } from '../../planning/choose.ts';
import { type DatasetSeries, figuresOf, phaseOf, type Workloads } from './dataset-row.ts';
import { labelsText } from './text.ts';

/** The sums of more Datasets than have series of their own. */
export interface Sums {
  add(dataset: Dataset, serving: RuntimeCandidate | undefined, workloads: Workloads): void;
  /** By namespace and kind; by kind alone, if that were more rows than `most`. */
  rows(): readonly DatasetSeries[];
}

interface Sum {
  readonly phases: Map<string, number>;
  readonly figures: Partial<Record<FigureName, number>>;
}

export function createSums(most: number): Sums {
  const byNamespace = new Map<string, Sum>();
  const byKind = new Map<string, Sum>();

  function addTo(sums: Map<string, Sum>, labels: Readonly<Record<string, string>>, phase: string, figures: DatasetSeries['figures']): void {
    const text = labelsText(labels);
    const sum: Sum = sums.get(text) ?? { phases: new Map(), figures: {} };
    sums.set(text, sum);
    sum.phases.set(phase, (sum.phases.get(phase) ?? 0) + 1);
    for (const [name, value] of Object.entries(figures) as [FigureName, number | undefined][])
      if (value !== undefined && ADDITIVE.has(name)) sum.figures[name] = (sum.figures[name] ?? 0) + value;
  }

  return {
    add(dataset, serving, workloads) {
      const { namespace = '' } = dataset.metadata;
      const kind = serving?.object.kind ?? '';
      const [phase, figures] = [phaseOf(dataset), figuresOf(dataset, serving, workloads)];
      addTo(byNamespace, { namespace, kind }, phase, figures);
      addTo(byKind, { kind }, phase, figures);
    },
    rows: () => [...(byNamespace.size > most ? byKind : byNamespace)].map(([labels, sum]) => ({ labels, operations: [], ...sum })),
  };
}
