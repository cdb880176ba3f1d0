import { expect, test } from 'vitest';
import { createPacker, unpacked } from '../../../src/webhook/watches/packed.ts';

/** As long as a template, and of the same fields. */
const template = (name: string): string =>
  JSON.stringify({
    containers: [...Array(30).keys()].map((i) => ({ name: `container-${i}-${(i * 7919) % 1000}`, args: [`--of=${name}`] })),
  });

test('a packed text is what it was, whatever came before', () => {
  const pack = createPacker();
  const texts = ['', template('a'), '{}', template('b'), 'naïve – 数据 😀', 'x'.repeat(100_000), '"', '"a', '""', template('\\"')];
  expect(texts.map(pack).map(unpacked)).toEqual(texts);
});

test('of a text like the first a third is kept at most', () => {
  const pack = createPacker();
  pack(template('first'));
  const text = template('second');
  expect(pack(text).differences.length).toBeLessThan(text.length / 3);
});
