/**
 * A Chinese page beside its English one. Under each heading, `<!-- en: <English heading> <digest> -->` names the section that it was written
 * from, as it was when a person last looked at both. `<!-- without: <heading>; <heading> -->` names sections that the Chinese page leaves out.
 */
import { filledBlock, isStaleBlock, lookedAtBlock } from './blocks.ts';
import { digestOf, pageOf, type Section, sectionsOf } from './sections.ts';
import { chineseOf, englishOf, targetsOf } from './twins.ts';

const SEEN = /^<!-- en: (.+?)(?: ([0-9a-f]{8}))? -->$/m;
const WITHOUT = /^<!-- without: (.+) -->$/m;

export interface Twin {
  /** Path of the Chinese page in the repository. */
  readonly page: string;
  readonly chinese: string;
  readonly english: string;
}

export interface Pair {
  readonly own: Section;
  readonly from: Section;
  /** The digest in the page; undefined before the first look. */
  readonly seen: string | undefined;
}

const leftOut = (chinese: string): readonly string[] => WITHOUT.exec(chinese)?.[1]?.split('; ') ?? [];
const titleFrom = ({ prose }: Section): string | undefined => SEEN.exec(prose)?.[1];

/** The sections of a Chinese page that name one that the English page has. */
export function pairsOf({ chinese, english }: Twin): readonly Pair[] {
  const all = sectionsOf(english);
  return sectionsOf(chinese).flatMap((own) => {
    const [, title, seen] = SEEN.exec(own.prose) ?? [];
    const from = all.find((each) => each.title === title);
    return from ? [{ own, from, seen }] : [];
  });
}

/** The Chinese page with the blocks of the English one, wherever a section has as many. */
export function filled(twin: Twin): string {
  const pairs = new Map(pairsOf(twin).map(({ own, from }) => [own.prose, from]));
  return pageOf(
    sectionsOf(twin.chinese).map((own) => {
      const english = pairs.get(own.prose)?.blocks ?? [];
      if (english.length !== own.blocks.length) return own;
      return { ...own, blocks: own.blocks.map((block, i) => filledBlock(twin.page, block, english[i] ?? '')) };
    }),
  );
}

/**
 * The Chinese page, in which this section was compared with the English one as it is now.
 *
 * @param title English or Chinese heading; undefined: all sections
 * @throws Error if the page has no such section
 */
export function lookedAt(twin: Twin, title: string | undefined): string {
  const pairs = pairsOf(twin).filter(({ own, from }) => title === undefined || own.title === title || from.title === title);
  if (pairs.length === 0)
    throw new Error(`${twin.page}: expected a section with <!-- en: … -->${title === undefined ? '' : `, found none called ${title}`}`);
  return pageOf(
    sectionsOf(twin.chinese).map((own) => {
      const pair = pairs.find((each) => each.own.prose === own.prose);
      if (!pair) return own;
      const prose = own.prose.replace(SEEN, () => `<!-- en: ${pair.from.title} ${digestOf(pair.from)} -->`);
      return { ...own, prose, blocks: own.blocks.map((block, i) => lookedAtBlock(block, pair.from.blocks[i] ?? '')) };
    }),
  );
}

/** Everything that is wrong with a Chinese page. Each fault names the section and how to end it. */
export function faultsOf(twin: Twin, exists: (page: string) => boolean): readonly string[] {
  const { page, chinese, english } = twin;
  const from = englishOf(page);
  const titles = sectionsOf(english).map(({ title }) => title);
  const without = leftOut(chinese);
  const own = sectionsOf(chinese);
  const named = own.flatMap((each) => titleFrom(each) ?? []);
  const wanted = titles.filter((title) => !without.includes(title));
  const inOrder = named.filter((title) => wanted.includes(title));
  return [
    ...own
      .filter((each) => titleFrom(each) === undefined)
      .map(({ title }) => `"${title}" lacks <!-- en: … -->: name the section of ${from}`),
    ...[...named, ...without].filter((title) => !titles.includes(title)).map((title) => `${from} has no section "${title}" any more`),
    ...wanted
      .filter((title) => !named.includes(title))
      .map((title) => `section "${title}" of ${from} is missing: write it, or list it in <!-- without: … -->`),
    ...(inOrder.join('\n') === wanted.filter((title) => named.includes(title)).join('\n')
      ? []
      : [`sections stand in another order than in ${from}`]),
    ...pairsOf(twin).flatMap((pair) => faultsOfPair(page, pair, exists)),
  ].map((fault) => `${page}: ${fault}`);
}

function faultsOfPair(page: string, { own, from, seen }: Pair, exists: (page: string) => boolean): readonly string[] {
  const english = from.blocks;
  const counts = own.blocks.length === english.length;
  const isStale = seen !== digestOf(from) || own.blocks.some((block, i) => isStaleBlock(block, english[i] ?? ''));
  // The switch between the languages is a link to the English page.
  const links = targetsOf(page, own.prose.replace(/^\[English\]\(.*\)$/m, ''));
  const foreign = links.flatMap((target) => {
    const twin = chineseOf(target);
    return twin !== undefined && exists(twin) ? [{ target, twin }] : [];
  });
  return [
    ...(isStale
      ? [
          `"${own.title}" was not compared with "${from.title}" of ${englishOf(page)} since that changed. ` +
            `See what changed: npm run zh -- --changes '${page}#${from.title}'. Then: npm run zh -- --looked-at '${page}#${from.title}'`,
        ]
      : []),
    ...(own.level === from.level ? [] : [`"${own.title}" has level ${own.level}, "${from.title}" level ${from.level}`]),
    ...(counts ? [] : [`"${own.title}" has ${own.blocks.length} blocks, "${from.title}" ${english.length}: add or delete an empty fence`]),
    ...(counts && own.blocks.some((block, i) => block !== filledBlock(page, block, english[i] ?? ''))
      ? [`blocks of "${own.title}" differ: npm run zh`]
      : []),
    ...(pictures(page, own) === pictures(englishOf(page), from) ? [] : [`"${own.title}" has other pictures than "${from.title}"`]),
    ...foreign.map(({ target, twin }) => `"${own.title}" links to ${target}, which exists in Chinese: ${twin}`),
  ];
}

/** Pictures of a section. One of the page of `sluice ui` in Chinese stands for the same in English. */
const pictures = (page: string, { prose }: Section): string =>
  targetsOf(page, [...prose.matchAll(/!\[[^\]]*(\]\([^)]*\))/g)].map(([, link]) => link).join(' '))
    .join(' ')
    .replaceAll(/-(?:light|chinese)(?=\.\w)/g, '');
