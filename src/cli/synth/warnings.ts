import { refOf } from '../input/read.ts';
import type { Rendered } from './render.ts';

/** What the condition `SpecWarning` would say, a line each, for standard error. */
export const warningLines = (rendered: readonly Rendered[]): string =>
  rendered
    .flatMap(({ object, bound }) => {
      const runtime = refOf(object);
      const dataset = runtime.replace(object.kind, 'Dataset');
      return (bound.plan.warnings ?? []).map(({ message }) =>
        message.startsWith('Dataset: ') ? `warning: ${message.replace('Dataset', dataset)}\n` : `warning: ${runtime}: ${message}\n`,
      );
    })
    .join('');
