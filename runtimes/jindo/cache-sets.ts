import { must } from '../../src/constructs/index.ts';
import type { Source } from './mounts.ts';

/** How JindoCache caches what is below one source. */
const POLICIES = {
  metaPolicy: ['ONCE', 'ALWAYS'],
  cacheStrategy: ['DISTRIBUTED', 'DHT'],
  writePolicy: ['WRITE_AROUND', 'WRITE_THROUGH', 'CACHE_ONLY'],
} as const;
const COPIES = ['readCacheReplica', 'writeCacheReplica'] as const;

/** Options of a mount that say how it is cached. */
export const cacheSetOptions: readonly string[] = [...Object.keys(POLICIES), ...COPIES];

/** The first lines of the file that `-refreshCacheSet` reads. */
export const FIRST_LINES = '<?xml version="1.0" encoding="UTF-8"?>\n<cachesets>\n';
/** A set in it, as `printf` of a shell makes it of the texts of `setTexts`. */
export const SET_FORMAT = `   <cacheset>
      <name>%s</name>
      <path>%s</path>
      <cacheStrategy>%s</cacheStrategy>
      <metaPolicy>
         <type>%s</type>
      </metaPolicy>
      <readPolicy>CACHE_ASIDE</readPolicy>
      <readCacheReplica>%s</readCacheReplica>
      <writePolicy>%s</writePolicy>
      <writeCacheReplica>%s</writeCacheReplica>
   </cacheset>
`;
export const LAST_LINE = '</cachesets>\n';

/** The file, of the texts of each mount's set. */
export const cacheSets = (sets: readonly (readonly string[])[]): string => [FIRST_LINES, ...sets.map(formatted), LAST_LINE].join('');

const BETWEEN = SET_FORMAT.split('%s');
const formatted = (texts: readonly string[]): string => BETWEEN.map((piece, i) => piece + (texts[i] ?? '')).join('');

/** The texts of a set, in the order of the format, as XML. JindoCache has one policy of reading. */
export function setTexts(source: Source): readonly string[] {
  const { metaPolicy, cacheStrategy, writePolicy, readCacheReplica, writeCacheReplica } = choices(source);
  return [source.name, source.source, cacheStrategy, metaPolicy, readCacheReplica, writePolicy, writeCacheReplica].map(escaped);
}

function choices({ options, field }: Source) {
  const at = (name: string) => `${field}.options[${name}]`;
  const policy = (name: keyof typeof POLICIES): string => {
    const [usual] = POLICIES[name];
    const { [name]: said = usual } = options;
    must((POLICIES[name] as readonly string[]).includes(said), at(name), `one of ${POLICIES[name].join(', ')}`, said);
    return said;
  };
  const copies = (name: (typeof COPIES)[number]): string => {
    const { [name]: said = '1' } = options;
    must(/^[1-9]\d{0,3}$/.test(said), at(name), 'a number of copies, at least 1', said);
    return said;
  };
  const [metaPolicy, cacheStrategy, writePolicy] = [policy('metaPolicy'), policy('cacheStrategy'), policy('writePolicy')];
  const isOnce = metaPolicy === 'ONCE';
  must(isOnce || cacheStrategy !== 'DHT', at('cacheStrategy'), 'DISTRIBUTED, since DHT needs metaPolicy ONCE', cacheStrategy);
  must(
    isOnce || writePolicy !== 'CACHE_ONLY',
    at('writePolicy'),
    'WRITE_AROUND or WRITE_THROUGH, since CACHE_ONLY needs metaPolicy ONCE',
    writePolicy,
  );
  return {
    metaPolicy,
    cacheStrategy,
    writePolicy,
    readCacheReplica: copies('readCacheReplica'),
    writeCacheReplica: copies('writeCacheReplica'),
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const SPECIAL = /[&<>]/;

/** Text between two tags. Most need no change, and a test of that costs less than a replacement. */
const escaped = (text: string): string => (SPECIAL.test(text) ? text.replaceAll(/[&<>]/g, (each) => ENTITIES[each] ?? each) : text);

/** An element with text. */
export const element = (name: string, text: string): string => `<${name}>${escaped(text)}</${name}>`;
