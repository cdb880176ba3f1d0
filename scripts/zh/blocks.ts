/**
 * Blocks of a Chinese page: copies of the English ones, or a table of words in Chinese. Above the latter, `<!-- in Chinese: <table> <digest> -->`
 * names the generated table that it was written from, as that was when a person last compared them.
 */
import { digestOfText } from './sections.ts';
import { blockFor } from './twins.ts';

const IN_CHINESE = /^<!-- in Chinese: (\w+)(?: ([0-9a-f]{8}))? -->/;

/** Whether the block is a table in Chinese of this English one. */
const isInChinese = (own: string, english: string): boolean => {
  const [, name] = IN_CHINESE.exec(own) ?? [];
  return name !== undefined && english.startsWith(`<!-- generated: ${name} -->`);
};

/** The block for the page: its own table in Chinese, or else the English block. */
export const filledBlock = (page: string, own: string, english: string): string =>
  isInChinese(own, english) ? own : blockFor(page, english);

/** The block with the digest of the English one as it is now. */
export const lookedAtBlock = (own: string, english: string): string =>
  isInChinese(own, english) ? own.replace(IN_CHINESE, (_, name: string) => `<!-- in Chinese: ${name} ${digestOfText(english)} -->`) : own;

/** Whether no person has compared a table in Chinese with the English one as it is now. */
export const isStaleBlock = (own: string, english: string): boolean =>
  isInChinese(own, english) && IN_CHINESE.exec(own)?.[2] !== digestOfText(english);
