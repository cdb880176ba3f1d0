import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesOf, recordingOf, uncoloured } from '../../harness/demo/recording.ts';

const lines = (...texts: readonly string[]) => texts.map((text, index) => ({ at: index * 1_000, text }));

test('a recording shows all that was printed, in its colours', () => {
  const text = fc.array(fc.constantFrom('\x1b[32m', '\x1b[2m', '\x1b[39m', '✓ ', '<a>', '&amp;', '$&', 'x'.repeat(60), ' '), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (all) => {
      const printed = all.map((parts) => parts.join(''));
      expect(linesOf(recordingOf(lines(...printed), 'A & B'))).toEqual(printed.map(uncoloured));
    }),
  );
  expect(recordingOf(lines('\x1b[32m✓\x1b[39m done \x1b[2m1 s\x1b[22m'), '')).toContain(
    '<text y="13"><tspan class="g">✓</tspan> done <tspan class="d">1 s</tspan></text>',
  );
});

test('a line that is too long goes on in the next row', () => {
  const svg = recordingOf(lines('x'.repeat(105), 'next'), '');
  expect(svg).toContain(`<text y="13">${'x'.repeat(104)}<tspan x="0" dy="18">x</tspan></text>`);
  expect(svg).toContain('<text y="49">next</text>');
});

test('lines appear when they were printed, no faster than one can read, and scroll once the terminal is full', () => {
  const svg = recordingOf([...lines(...'a'.repeat(30)), { at: 29_001, text: 'at once' }], '');
  // 30 lines, one a second; another 150 ms later; 8 s until all begins again.
  expect(svg).toContain('animation:cover 37150ms step-end infinite');
  expect(svg).toContain('2.69%{transform:translateY(36px)}');
  const [, scroll = ''] = /@keyframes scroll\{(.*)\}/.exec(svg) ?? [];
  expect(scroll.match(/translateY\(-?\d+px\)/g)?.slice(26)).toEqual([0, 0, -18, -36, -54].map((y) => `translateY(${y}px)`));
});

test('the recording of the demo is small, and describes the picture', () => {
  const svg = readFileSync(join(import.meta.dirname, '../../docs/demo.svg'), 'utf8');
  expect(Buffer.byteLength(svg)).toBeLessThan(60_000);
  expect(svg).toMatch(/<title>A terminal shows npm run demo: .*<\/title>/);
});
