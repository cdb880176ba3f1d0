import { must } from '../../src/constructs/index.ts';
import type { Source } from './mounts.ts';
import { element } from './xml.ts';

/** How JindoCache caches what is below one source. */
const POLICIES = {
  metaPolicy: ['ONCE', 'ALWAYS'],
  cacheStrategy: ['DISTRIBUTED', 'DHT'],
  writePolicy: ['WRITE_AROUND', 'WRITE_THROUGH', 'CACHE_ONLY'],
} as const;
const COPIES = ['readCacheReplica', 'writeCacheReplica'] as const;

/** Options of a mount that say how it is cached. */
export const cacheSetOptions: readonly string[] = [...Object.keys(POLICIES), ...COPIES];

/** The file that `-refreshCacheSet` reads: a set for each mount. */
export const cacheSets = (sources: readonly Source[]): string =>
  ['<?xml version="1.0" encoding="UTF-8"?>', '<cachesets>', ...sources.flatMap(cacheSet), '</cachesets>', ''].join('\n');

function cacheSet(source: Source): readonly string[] {
  const { metaPolicy, cacheStrategy, writePolicy, readCacheReplica, writeCacheReplica } = choices(source);
  return [
    '   <cacheset>',
    `      ${element('name', source.name)}`,
    `      ${element('path', source.source)}`,
    `      ${element('cacheStrategy', cacheStrategy)}`,
    '      <metaPolicy>',
    `         ${element('type', metaPolicy)}`,
    '      </metaPolicy>',
    // JindoCache has no other.
    '      <readPolicy>CACHE_ASIDE</readPolicy>',
    `      ${element('readCacheReplica', readCacheReplica)}`,
    `      ${element('writePolicy', writePolicy)}`,
    `      ${element('writeCacheReplica', writeCacheReplica)}`,
    '   </cacheset>',
  ];
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
