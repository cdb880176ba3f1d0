import { base64, hashOfScript, type PlanInput, sorted, together } from '../../src/constructs/index.ts';
import { addressList } from './masters.ts';
import { cacheSets, element, setTexts } from './cache-sets.ts';
import type { Credentials } from './credentials.ts';
import { type EngineName, NAMES } from './engines.ts';
import type { Mounts, Source } from './mounts.ts';
import {
  checkProperties,
  clientLogProperties,
  clientProperties,
  logProperties,
  masterProperties,
  type PropertiesInput,
  workerProperties,
} from './properties.ts';
import type { JindoRuntimeSpec } from './spec.ts';
import type { Properties } from './stores.ts';

/** All that Jindo reads when it starts: the files, and of what each role reads of them a hash. */
export function configuration(
  { spec, name, namespace }: Pick<PlanInput<JindoRuntimeSpec>, 'spec' | 'name' | 'namespace'>,
  parts: PropertiesInput,
  { sources }: Mounts,
  { keys }: Credentials,
) {
  const { engine, masters, ports, stores } = parts;
  const addresses = addressList(masters, namespace, ports.master);
  const [credentials, ofStores] = [sorted(stores.credentials), sorted(stores.stores)];
  const settings: JindoSettings = {
    common: { ...logProperties(spec, engine), ...credentials, ...ofStores },
    master: masterProperties(spec, parts),
    worker: workerProperties(spec, parts),
    clientCommon: { ...clientLogProperties(spec, parts), ...credentials },
    client: { ...(addresses && { [`fs.${engine}.namespace.rpc.address`]: addresses }), ...clientProperties(spec, parts) },
  };
  const { sets, data } = together({ files: () => filesOf(engine, settings, sources) }, `Dataset ${namespace}/${name}`).files;
  const isSecret = [...keys.values()].some((each) => each.isSecret);
  return { files: { isSecret, data: isSecret ? encoded(data) : data }, hashes: hashesOf(settings, data), addresses, sets: sets.flat() };
}

function filesOf(engine: EngineName, settings: JindoSettings, sources: readonly Source[]) {
  const sets = engine === 'jindocache' ? sources.map(setTexts) : [];
  return { sets, data: configFiles(engine, settings, sets) };
}

const encoded = (data: Properties): Properties => Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)]));

function hashesOf({ common, master, worker, clientCommon, client }: JindoSettings, data: Properties) {
  // Each is long with many mounts, and most roles read it: it is written once.
  const [ofAll, ofClients] = [JSON.stringify(common), JSON.stringify(client)];
  const hash = (...read: readonly string[]) => hashOfScript(`[${read.join(',')}]`);
  return {
    master: hash(ofAll, JSON.stringify(master), ofClients, JSON.stringify(data['cacheset.xml'] ?? null)),
    worker: hash(ofAll, JSON.stringify(worker), ofClients),
    fuse: hash(JSON.stringify(clientCommon), ofClients),
  };
}

/** The settings in the files, by reader. */
interface JindoSettings {
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
