/** A strict reader of Prometheus' text format: it refuses what Prometheus refuses, and what it only tolerates. */

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SERIES = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/;

/** Throws an Error that names the line. */
export function seriesOf(text: string): readonly Series[] {
  const found: Series[] = [];
  const seen = new Set<string>();
  const families = new Set<string>();
  let family = '';
  const refuse = (line: string, why: string) => new Error(`${why}: ${JSON.stringify(line)}`);
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    // Prometheus takes NUL for the end of the text; editors and terminals break lines at the others.
    if (/[\p{Cc}\u2028\u2029]/u.test(line) || !line.isWellFormed()) throw refuse(line, 'a control character');
    const [, about, name = ''] = /^# (HELP|TYPE) (\S+) ./.exec(line) ?? [];
    if (about === 'HELP') {
      if (families.has(name)) throw refuse(line, 'a metric in two places');
      families.add(name);
      family = name;
    }
    if (about) continue;
    if (line.startsWith('#')) throw refuse(line, 'a comment');
    const [, metric = '', labelText = '', value = ''] = SERIES.exec(line) ?? [];
    if (metric.replace(/_(bucket|sum|count)$/, '') !== family && metric !== family) throw refuse(line, `not a series of ${family}`);
    if (Number.isNaN(Number(value)) && value !== 'Nan') throw refuse(line, 'no number');
    const labels = labelsIn(labelText, line);
    const key = `${metric} ${JSON.stringify(Object.entries(labels).toSorted())}`;
    if (seen.has(key)) throw refuse(line, 'a series twice');
    seen.add(key);
    found.push({ name: metric, labels, value: Number(value) });
  }
  return found;
}

function labelsIn(text: string, line: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== ''; ) {
    const [all, name, value] = LABEL.exec(rest) ?? [];
    if (all === undefined || name === undefined || name in labels) throw new Error(`labels: ${JSON.stringify(line)}`);
    labels[name] = (value ?? '').replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
    rest = rest.slice(all.length);
  }
  return labels;
}
