import { type Explained, explainedNamed } from '../../explain/reasons.ts';
import { UsageError } from '../errors.ts';
import { type Line, say, sayText, styled } from '../terminal.ts';

/** Prints what these reasons and conditions mean, or all of them. It needs no cluster. @throws UsageError if a name is none of them */
export function sayReasons(names: readonly string[], output: 'text' | 'json'): void {
  const { found, unknown } = explainedNamed(names);
  if (unknown.length > 0)
    throw new UsageError(
      `--reasons: expected a reason or a condition, such as MasterNotReady or PodsOutdated, found ${unknown.join(', ')}; without a name, all are printed`,
    );
  if (output === 'json') sayText(`${JSON.stringify({ items: found }, null, 2)}\n`);
  else say(...found.flatMap(linesOf));
}

function linesOf({ name, is, means, toDo, toDoForOperation, endsWithoutHelp }: Explained): readonly Line[] {
  const kind = is === 'condition' ? ' (condition)' : endsWithoutHelp ? ' (ends without help)' : '';
  return [
    [styled(['bold', 'yellow'], name), kind],
    `  ${means}`,
    `  to do: ${toDo}`,
    ...(toDoForOperation === undefined ? [] : [`  to do for an operation: ${toDoForOperation}`]),
  ];
}
