/** The source of every command substitution, `$(…)`, that a shell runs in a script: those in single quotes are text. */
export function substitutionsIn(script: string): readonly string[] {
  const found: string[] = [];
  let at = 0;

  function skip(end: string, escapes: boolean): void {
    for (at++; at < script.length && script[at] !== end; at++) if (escapes && script[at] === '\\') at++;
    at++;
  }
  function substitution(): void {
    const begin = (at += 2);
    code(true);
    found.push(script.slice(begin, at - 1));
  }
  function inQuotes(): void {
    for (at++; at < script.length && script[at] !== '"'; )
      if (script[at] === '\\') at += 2;
      else if (script.startsWith('$(', at)) substitution();
      else at++;
    at++;
  }
  function code(isNested: boolean): void {
    while (at < script.length) {
      if (script[at] === ')') {
        at++;
        // Else it ends a pattern of `case`.
        if (isNested) return;
      } else if (script[at] === '(') {
        at++;
        code(true);
      } else if (script[at] === '\\') at += 2;
      else if (script[at] === "'") skip("'", false);
      else if (script.startsWith("$'", at)) {
        at++;
        skip("'", true);
      } else if (script[at] === '"') inQuotes();
      else if (script.startsWith('$(', at)) substitution();
      else if (script[at] === '#' && /[\s;]|^$/.test(script[at - 1] ?? '')) while (at < script.length && script[at] !== '\n') at++;
      else at++;
    }
  }
  code(false);
  return found;
}
