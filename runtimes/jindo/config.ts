import { cacheSets } from './cache-sets.ts';
import { type EngineName, NAMES } from './engines.ts';
import { checkProperties } from './properties.ts';
import type { Properties } from './stores.ts';
import { element } from './xml.ts';

/** The settings in the files, by reader. */
export interface JindoSettings {
  /** Settings of masters and workers. */
  readonly common: Properties;
  readonly master: Properties;
  readonly worker: Properties;
  readonly clientCommon: Properties;
  /** With the addresses of the masters first. */
  readonly client: Properties;
}

const HADOOP = '/hdfs-3.2.1/etc/hadoop';
const SDK = 'jindosdk.cfg';
const CACHE_SETS = 'cacheset.xml';
const CORE_SITE = 'core-site.xml';
/** Where Hadoop's own client in the image looks. */
export const corePath = `${HADOOP}/${CORE_SITE}`;

/** The files of an engine by name; `sets` are those of `cacheSets`. */
export function configFiles(
  engine: EngineName,
  settings: JindoSettings,
  sets: readonly (readonly string[])[],
): Readonly<Record<string, string>> {
  const { file, sections } = NAMES[engine];
  const { clientCommon, client } = settings;
  const isCache = engine === 'jindocache';
  const servers = sections.map(([section, of]): Section => [section, settings[of]]);
  const clients: readonly Section[] = [
    ['common', clientCommon],
    [isCache ? 'jindocache-client' : CORE_SITE, client],
  ];
  // Values of every origin are checked here: a line break in one would begin a property or a section of its own.
  checkProperties(Object.fromEntries([...servers, ...clients]));
  return {
    ...(isCache
      ? { [CACHE_SETS]: cacheSets(sets), [file]: text([...servers, ...clients]) }
      : { [CORE_SITE]: coreSite({ ...CLASSES, 'fs.xengine': engine, ...client }), [file]: text(servers) }),
    [SDK]: text([
      ['common', clientCommon],
      ['jindosdk', client],
    ]),
  };
}

/** Which file each role finds where. */
export const filePaths = (engine: EngineName, role: 'master' | 'worker' | 'fuse' | 'load'): Readonly<Record<string, string>> => ({
  [NAMES[engine].file]: `/${NAMES[engine].file}`,
  ...(engine === 'jindofsx' ? { [CORE_SITE]: corePath } : role === 'master' && { [CACHE_SETS]: `/${CACHE_SETS}` }),
  [SDK]: `/${SDK}`,
});

/** Hadoop's client reads with these. */
const CLASSES: Properties = {
  'fs.oss.impl': 'com.aliyun.jindodata.oss.JindoOssFileSystem',
  'fs.AbstractFileSystem.oss.impl': 'com.aliyun.jindodata.oss.OSS',
  'fs.jindo.impl': 'com.aliyun.jindodata.jindo.JindoFileSystem',
  'fs.AbstractFileSystem.jindo.impl': 'com.aliyun.jindodata.jindo.JINDO',
};

type Section = readonly [name: string, properties: Properties];
const text = (sections: readonly Section[]): string =>
  sections
    .map(([name, properties]) => [`[${name}]`, ...Object.entries(properties).map(([key, value]) => `${key} = ${value}`), ''].join('\n'))
    .join('\n');

const coreSite = (properties: Properties): string =>
  [
    '<?xml version="1.0"?>',
    '<configuration>',
    ...Object.entries(properties).flatMap(([key, value]) => [
      '    <property>',
      `        ${element('name', key)}`,
      `        ${element('value', value)}`,
      '    </property>',
    ]),
    '</configuration>',
    '',
  ].join('\n');
