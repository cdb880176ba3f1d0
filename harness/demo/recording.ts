/**
 * The output of a terminal as an animated picture: an SVG without scripts, which GitHub shows in a page, and whose text is the lines that
 * were printed. Our own, since svg-term brings React and lodash, and ansi-to-svg draws pictures that stand still.
 */
export interface Line {
  /** Since the start, ms. */
  readonly at: number;
  /** With the codes by which a terminal shows colours. */
  readonly text: string;
}

const COLUMNS = 104;
const ROWS = 28;
/** Pixels. */
const [CHAR, ROW, MARGIN] = [7.83, 18, 16];
/** Lines come no faster than a reader can follow; the end stays this long before the beginning is shown again. */
const [QUICKEST_MS, END_MS] = [150, 8_000];
const CLASSES: Readonly<Record<string, string>> = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y', 36: 'c' };

// A terminal's own colours, which are seen on a light and on a dark page.
const STYLE = `text{white-space:pre;font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3}
.b{font-weight:700}.d{fill:#9198a1}.r{fill:#ff7b72}.g{fill:#56d364}.y{fill:#e3b341}.c{fill:#39c5cf}`;

/** @param title describes the picture for readers who do not see it */
export function recordingOf(lines: readonly Line[], title: string): string {
  let [rows, ms, last] = [0, 0, 0];
  const texts: string[] = [];
  const steps: { readonly ms: number; readonly rows: number }[] = [];
  for (const { at, text } of lines) {
    const [first = '', ...more] = rowsOf(text);
    texts.push(`<text y="${rows * ROW + 13}">${first}${more.map((row) => `<tspan x="0" dy="${ROW}">${row}</tspan>`).join('')}</text>`);
    rows += 1 + more.length;
    ms += steps.length === 0 ? 0 : Math.max(at - last, QUICKEST_MS);
    last = at;
    steps.push({ ms, rows });
  }
  const total = ms + END_MS;
  const moving = (name: string, yOf: (rows: number) => number): string => {
    const frames = steps.map((step) => `${((100 * step.ms) / total).toFixed(2)}%{transform:translateY(${yOf(step.rows)}px)}`);
    return `.${name}{animation:${name} ${total.toFixed()}ms step-end infinite}@keyframes ${name}{${frames.join('')}}`;
  };
  const [width, height] = [Math.ceil(COLUMNS * CHAR), ROWS * ROW];
  const size = `width="${width + 2 * MARGIN}" height="${height + 2 * MARGIN}"`;
  // All lines stand there from the start: what was not printed yet is covered, and all scrolls as in a terminal that is full.
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width + 2 * MARGIN} ${height + 2 * MARGIN}" ${size} role="img" xml:space="preserve">
<title>${escaped(title)}</title>
<style>
${STYLE}
${moving('scroll', (shown) => -Math.max(0, shown - ROWS) * ROW)}
${moving('cover', (shown) => shown * ROW)}
@media(prefers-reduced-motion:reduce){.scroll,.cover{animation:none}}
</style>
<rect ${size} rx="8" fill="#0d1117" stroke="#656c76"/>
<svg x="${MARGIN}" y="${MARGIN}" width="${width}" height="${height}"><g class="scroll">
${texts.join('\n')}
<rect class="cover" transform="translate(0 ${height})" width="${width}" height="${rows * ROW}" fill="#0d1117"/></g></svg>
</svg>
`;
}

/** The lines that a recording shows, without colours. */
export function linesOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text = '']) =>
    text.replace(/<[^>]*>/g, '').replace(/&(?:lt|gt|amp);/g, (name) => ({ '&lt;': '<', '&gt;': '>' })[name] ?? '&'),
  );
}

// oxlint-disable-next-line no-control-regex
const COLOUR = /\x1b\[(\d*)m/g;
export const uncoloured = (text: string): string => text.replace(COLOUR, '');

/** Broken as a terminal does, wherever a row is full. */
function rowsOf(text: string): readonly string[] {
  const rows = [''];
  let [used, colour] = [0, ''];
  for (const [index, part] of text.split(COLOUR).entries()) {
    // Between the texts stands what the expression captures.
    if (index % 2 === 1) colour = CLASSES[part] ?? '';
    else
      for (let rest = part; rest !== ''; ) {
        if (used === COLUMNS) {
          rows.push('');
          used = 0;
        }
        const fits = rest.slice(0, COLUMNS - used);
        rows.push(`${rows.pop()}${spanOf(fits, colour)}`);
        used += fits.length;
        rest = rest.slice(fits.length);
      }
  }
  return rows;
}

const spanOf = (text: string, colour: string): string =>
  colour === '' ? escaped(text) : `<tspan class="${colour}">${escaped(text)}</tspan>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
