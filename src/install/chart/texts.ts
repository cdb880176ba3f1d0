import { stringify } from 'yaml';
import { HOST, kindOf, MARK, markOf, TAG } from './values.ts';

/** A text or a number of an object in a template, with values in the place of marks. */
export function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    throw new Error(`expected texts and numbers to choose from, found ${JSON.stringify(value)}`);
  if (typeof value !== 'string' || !value.includes('⟦')) return scalar(value);
  const path = markOf(value);
  if (path !== undefined && kindOf(path) === 'number') return `{{ int .Values.${path} }}`;
  return JSON.stringify(value)
    .replace(LAST_OF_LIST, (_, each: string) => `{{ range .Values.${each} }},{{ ${IN_QUOTES} }}{{ end }}`)
    .replaceAll(HOST, '')
    .replaceAll(TAG, '')
    .replace(MARK, (_, each: string) => inText(each));
}

/** Texts of a list at the end of a list in an expression, whose quotes are escaped in YAML. */
const LAST_OF_LIST = /,\\"⟦([^⟦⟧]+)⟧\\"/g;
const IN_QUOTES = '. | toRawJson | toRawJson | trimPrefix "\\"" | trimSuffix "\\""';

function inText(path: string): string {
  const variable = /^controllerEnv[.](.+)$/.exec(path)?.[1];
  if (path === 'namespace') return '{{ .Release.Namespace }}';
  if (variable !== undefined) return `{{ include "sluice.variable" (list .Values.controller.env "${variable}") }}`;
  if (kindOf(path) === 'objects') return `{{ range $i, $each := .Values.${path} }}{{ if $i }},{{ end }}{{ $each.name }}{{ end }}`;
  return `{{ .Values.${path} }}`;
}

/** A text or a number without marks, in YAML. */
export function scalar(value: unknown): string {
  const text = typeof value === 'string' && /[\n"\\]/.test(value) ? JSON.stringify(value) : stringify(value, { lineWidth: 0 }).trimEnd();
  return text.replaceAll('{{', '{{ "{{" }}');
}
