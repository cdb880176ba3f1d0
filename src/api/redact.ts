export const REDACTED = '[redacted]';

/** How keys end whose values are secret; `.` and `_` may stand between the words. */
const SECRET = '(?:password|passwd|passphrase|secret|token|credentials?|signature|(?:secret|access|account|api|private)[-_.]?key)';

/** All of them are bounded where a text could make them begin again and again. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  // A password may have any character in it: up to the last @.
  [/(\b[a-z][a-z0-9+.-]{0,40}:\/\/)(?:[^/\s@:]{0,100}:[^\s"'<>]{0,200}|[^/\s@]*)@/gi, `$1${REDACTED}@`],
  // Whoever forgets the scheme has a password all the same.
  [/(\/\/)[^/\s@:"'<>]{0,100}:[^\s"'<>]{0,200}@/g, `$1${REDACTED}@`],
  [/\b(bearer|basic) +[\w.~+/-]{8,}=*/gi, `$1 ${REDACTED}`],
  [
    new RegExp(
      `\\b([\\w.-]{0,60}?${SECRET}["']?\\s*[=:]\\s*)(?!expected |\\[redacted)(?:"[^"\\n]*"|'[^'\\n]*'|["']?[^\\s"',;&]+["']?)`,
      'gi',
    ),
    `$1${REDACTED}`,
  ],
  [new RegExp(`(--[\\w.-]{0,60}?${SECRET} +)(?:"[^"\\n]*"|'[^'\\n]*'|(?!--|\\[redacted)[^\\s"']+)`, 'gi'), `$1${REDACTED}`],
  // Secrets of a URL's query, and of Azure's properties, whose names go on with the account's.
  [/([?&;]sig=)[^\s"'&;]+/gi, `$1${REDACTED}`],
  [/(\baccount\.key\.[\w.-]{1,80}\s?=\s?)[^\s"',;&]+/gi, `$1${REDACTED}`],
  // As protocol buffers are printed: a key, and its value in the next line.
  [new RegExp(`(key: *"[\\w.-]{0,80}${SECRET}[\\w.-]{0,80}"\\s{1,20}value: *)"[^"\\n]*"`, 'gi'), `$1"${REDACTED}"`],
];

/** Without the credentials that a text shows by its form, such as a metadata URL in a command's error. Twice is as once. */
export function redactedText(text: string): string {
  // Most texts are our own words, said again in each pass.
  if (!SUSPECT.test(text)) return text;
  return FORMS.reduce((left, [form, instead]) => left.replace(form, instead), text);
}

/** Each of the forms contains one of these. */
const SUSPECT = /[:=]|--|bearer|basic/i;
