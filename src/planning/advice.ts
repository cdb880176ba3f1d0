/** Advice to a person about a condition: `sluice explain` prints it, and alerts carry it. In English, unless a caller asks for Chinese. */
import { causesZh, conditionAdviceZh, CREATE_IT_ZH, REFUSED_ZH } from './advice-zh.ts';
import { conditionAdvice, REFUSED } from './condition-advice.ts';
import { type Cause, causeOf, causes, type Reason } from './reasons.ts';

/** Languages that advice is written in. */
export type Language = 'en' | 'zh';

/** Advice for pods that the API server refuses. */
export const adviceOfRefusal = (language: Language = 'en'): string => (language === 'zh' ? REFUSED_ZH : REFUSED);

/** Advice for a condition of this type; undefined for those of which the reason says more. */
export const adviceOfCondition = (type: string, language: Language = 'en'): string | undefined =>
  Object.hasOwn(conditionAdvice, type)
    ? (language === 'zh' ? conditionAdviceZh : conditionAdvice)[type as keyof typeof conditionAdvice]
    : undefined;

/** Advice for a reason of the list, or of a vendor's companion; undefined for any other, such as one of Fluid or of a Job. */
export function adviceOfReason(reason: string, about: 'runtime' | 'operation', language: Language = 'en'): string | undefined {
  if (!isKnownReason(reason) && !reason.endsWith('NotFound')) return undefined;
  const { toDo, toDoForOperation } = language === 'zh' ? inChinese(reason) : causeOf(reason as Reason);
  if (toDoForOperation !== undefined && about === 'operation') return toDoForOperation;
  const [, other] = /^as for `(\w+)`$/.exec(toDo) ?? [];
  return other === undefined ? toDo : causeOf(other as Reason).toDo;
}

const inChinese = (reason: string): Pick<Cause, 'toDo' | 'toDoForOperation'> =>
  isKnownReason(reason) ? causesZh[reason as keyof typeof causes] : { toDo: CREATE_IT_ZH };

/** Not `in`: every object has a `constructor`, and a status may have any reason. */
export const isKnownReason = (reason: string): boolean => Object.hasOwn(causes, reason);

/** Without the links of the page from which it comes. */
export const withoutLinks = (text: string): string => text.replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1');
