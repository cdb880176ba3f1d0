import { type Explained, explainedNamed } from '../../explain/reasons.ts';
import type { Texts } from '../../explain/texts/en.ts';
import { textsIn } from '../../explain/texts/texts.ts';
import type { Language } from '../../planning/advice.ts';
import { UsageError } from '../errors.ts';
import { type Line, say, sayText, styled } from '../terminal.ts';

/** Prints what these reasons and conditions mean, or all of them. It needs no cluster. @throws UsageError if a name is none of them */
export function sayReasons(names: readonly string[], output: 'text' | 'json', language: Language): void {
  const { found, unknown } = explainedNamed(names, language);
  if (unknown.length > 0)
    throw new UsageError(
      `--reasons: expected a reason or a condition, such as MasterNotReady or PodsOutdated, found ${unknown.join(', ')}; without a name, all are printed`,
    );
  if (output === 'json') sayText(`${JSON.stringify({ items: found }, null, 2)}\n`);
  else say(...found.flatMap((each) => linesOf(each, textsIn(language))));
}

function linesOf({ name, is, means, toDo, toDoForOperation, endsWithoutHelp }: Explained, texts: Texts): readonly Line[] {
  const kind = is === 'condition' ? ' (condition)' : endsWithoutHelp ? ' (goes away once its cause does)' : '';
  return [
    [styled(['bold', 'yellow'], name), kind],
    `  ${means}`,
    `  ${texts.toDo}${toDo}`,
    ...(toDoForOperation === undefined ? [] : [`  ${texts.toDoForOperation}${toDoForOperation}`]),
  ];
}
