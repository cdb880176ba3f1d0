export const REDACTED = '[redacted]';

/** Without the credentials that a text shows by its form, such as a metadata URL in a command's error. Twice is as once. */
export function redactedText(text: string): string {
  // Most texts are our own words, said again in each pass.
  if (!SUSPECT.test(text)) return text;
  return (
    text
      // The scheme is bounded, or a long text of dashes would take the square of its length.
      .replace(/(\b[a-z][a-z0-9+.-]{0,40}:\/\/)[^/\s@]*@/gi, `$1${REDACTED}@`)
      .replace(/\b(bearer|basic) +[\w.~+/-]{8,}=*/gi, `$1 ${REDACTED}`)
      .replace(
        /\b((?:[\w-]{0,40}[-_])?(?:password|passwd|token|secret[-_]?key|access[-_]?key)["']?\s*[=:]\s*)["']?[^\s"',;&]+["']?/gi,
        `$1${REDACTED}`,
      )
      // As protocol buffers are printed: a key, and its value in the next line.
      .replace(
        /(key: *"[\w.-]{0,80}(?:secret|password|passwd|token|credential|access_?-?key)[\w.-]{0,80}"\s{1,20}value: *)"[^"\n]*"/gi,
        `$1"${REDACTED}"`,
      )
  );
}

/** What each of the forms has in it. */
const SUSPECT = /[:=]|bearer|basic/i;
