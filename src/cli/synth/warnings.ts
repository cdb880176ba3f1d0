import { oneLine } from '../../api/index.ts';
import { refOf } from '../input/read.ts';
import type { Rendering } from './render.ts';

/** The messages of `SpecWarning` and the events of operations, a line each. */
export const warningLines = ({ datasets, operations }: Rendering): readonly string[] =>
  [
    ...datasets.flatMap(({ object, warnings }) => {
      const runtime = refOf(object);
      const dataset = runtime.replace(object.kind, 'Dataset');
      return warnings.map((message) => (message.startsWith('Dataset: ') ? message.replace('Dataset', dataset) : `${runtime}: ${message}`));
    }),
    ...operations.flatMap(({ object, warnings }) => warnings.map((message) => `${refOf(object)}: ${message}`)),
  ].map((message) => `warning: ${oneLine(message)}`);
