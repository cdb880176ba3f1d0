/** Names, labels, annotations and finalizers of any object; rule: apimachinery's api/validation and util/validation. */
import type { ObjectMeta } from '../../kube/types.ts';
import type { FieldFault } from '../refusals.ts';
import { invalidValue, tooLong } from './faults.ts';

const PART = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${PART}(\\.${PART})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL = `(${QUALIFIED})?`;
const MOST_ANNOTATIONS = 256 << 10;

const regexp = (what: string, pattern: string, ...examples: readonly string[]): string =>
  `${what} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
const most = (length: number) => `must be no more than ${length} characters`;

const isPart = (text: string): boolean => /^[a-z0-9]$/.test(text) || /^[a-z0-9][-a-z0-9]*[a-z0-9]$/.test(text);
const isQualified = (text: string): boolean => /^[A-Za-z0-9]$/.test(text) || /^[A-Za-z0-9][-A-Za-z0-9_.]*[A-Za-z0-9]$/.test(text);

function subdomainFaults(text: string): readonly string[] {
  const what =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...(text.length > 253 ? [most(253)] : []), ...(text.split('.').every(isPart) ? [] : [regexp(what, SUBDOMAIN, 'example.com')])];
}

/** The rule for a name: a DNS subdomain, a DNS label, a label that starts with a letter, or any part of a path. */
export type NameRule = 'subdomain' | 'label' | 'service' | 'path';
const NAMES: Readonly<Record<NameRule, (text: string) => readonly string[]>> = {
  subdomain: subdomainFaults,
  label: (text) =>
    labelFaults(
      text,
      isPart(text),
      regexp(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
        PART,
        'my-name',
        '123-abc',
      ),
    ),
  service: (text) =>
    labelFaults(
      text,
      isPart(text) && /^[a-z]/.test(text),
      regexp(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        '[a-z]([-a-z0-9]*[a-z0-9])?',
        'my-name',
        'abc-123',
      ),
    ),
  path: (text) => [
    ...(text === '.' || text === '..' ? [`may not be '${text}'`] : []),
    ...['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`),
  ],
};
const labelFaults = (text: string, fits: boolean, rule: string): readonly string[] => [
  ...(text.length > 63 ? [most(63)] : []),
  ...(fits ? [] : [rule]),
];

function qualifiedFaults(text: string): readonly string[] {
  const what = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const rule = regexp(what, QUALIFIED, 'MyName', 'my.name', '123-abc');
  const parts = text.split('/');
  const [prefix, name = ''] = parts.length === 2 ? parts : [undefined, ...parts];
  if (parts.length > 2) return [`a qualified name ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  return [
    ...(prefix === undefined
      ? []
      : prefix === ''
        ? ['prefix part must be non-empty']
        : subdomainFaults(prefix).map((each) => `prefix part ${each}`)),
    ...(name === '' ? ['name part must be non-empty'] : name.length > 63 ? [`name part ${most(63)}`] : []),
    ...(isQualified(name) ? [] : [`name part ${rule}`]),
  ];
}

function labelValueFaults(text: string): readonly string[] {
  const what =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [
    ...(text.length > 63 ? [most(63)] : []),
    ...(text === '' || isQualified(text) ? [] : [regexp(what, LABEL, 'MyValue', 'my_value', '12345')]),
  ];
}

const invalidValues = (field: string, text: string, faults: readonly string[]) => faults.map((fault) => invalidValue(field, text, fault));

/** @param field the path of the labels, such as `metadata.labels` */
export const labelsFaults = (labels: Readonly<Record<string, string>>, field: string): readonly FieldFault[] =>
  Object.entries(labels).flatMap(([key, text]) => [
    ...invalidValues(field, key, qualifiedFaults(key)),
    ...invalidValues(field, text, labelValueFaults(text)),
  ]);

/** @param field the path of the annotations, such as `metadata.annotations` */
export function annotationsFaults(annotations: Readonly<Record<string, string>>, field: string): readonly FieldFault[] {
  const size = Object.entries(annotations).reduce((sum, [key, text]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text), 0);
  return [
    ...Object.keys(annotations).flatMap((key) => invalidValues(field, key, qualifiedFaults(key.toLowerCase()))),
    ...(size > MOST_ANNOTATIONS ? [tooLong(field, MOST_ANNOTATIONS)] : []),
  ];
}

/**
 * The faults of an object's metadata.
 * @param isNew a name is checked when the object is created
 */
export const metadataFaults = (
  { name, labels = {}, annotations = {}, finalizers = [] }: ObjectMeta,
  isNew: boolean,
  named: NameRule = 'subdomain',
): readonly FieldFault[] => [
  ...(isNew ? invalidValues('metadata.name', name, NAMES[named](name)) : []),
  ...labelsFaults(labels, 'metadata.labels'),
  ...annotationsFaults(annotations, 'metadata.annotations'),
  ...(isNew ? finalizers.flatMap((finalizer) => invalidValues('metadata.finalizers', finalizer, qualifiedFaults(finalizer))) : []),
];
