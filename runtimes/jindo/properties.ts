import { type Fault, InvalidSpec, shown } from '../../src/api/index.ts';
import { sorted } from '../../src/constructs/index.ts';
import type { EngineName } from './engines.ts';
import { isAtLeast } from './images.ts';
import type { Ports } from './ports.ts';
import type { JindoRuntimeSpec } from './spec.ts';
import type { Properties, StoreProperties } from './stores.ts';
import { metadataIn, type Tier } from './tiers.ts';

export interface PropertiesInput {
  readonly engine: EngineName;
  readonly masters: readonly string[];
  readonly ports: Ports;
  readonly tier: Tier;
  readonly stores: StoreProperties;
  readonly readOnly: boolean;
  readonly rdma: boolean;
  /** Tag of the client's image. */
  readonly fuseTag: string;
}

/** Properties of masters. Users' properties win, as everywhere here. */
export const masterProperties = ({ master }: JindoRuntimeSpec, { masters, ports, tier, rdma }: PropertiesInput): Properties =>
  sorted({
    'namespace.cluster.id': 'local',
    'namespace.oss.copy.size': '1073741824',
    'namespace.filelet.threads': '200',
    'namespace.blocklet.threads': '100',
    'namespace.long-running.threads': '20',
    'namespace.filelet.cache.size': '100000',
    'namespace.blocklet.cache.size': '1000000',
    'namespace.filelet.atime.enable': 'false',
    'namespace.permission.root.inode.perm.bits': '511',
    'namespace.delete.scan.interval.second': '20',
    'namespace.delete.scan.batch.size': '5000',
    'namespace.backend.type': masters.length > 1 ? 'raft' : 'rocksdb',
    ...(masters.length > 1 && { 'namespace.backend.raft.initial-conf': masters.map((name) => `${name}:${ports.raft}:0`).join() }),
    'namespace.rpc.port': String(ports.master),
    'namespace.meta-dir': metadataIn(tier.directories),
    ...(rdma && { 'namespace.rpc.rdma.enable': 'true' }),
    ...master?.properties,
  });

/** Properties of workers. */
export const workerProperties = ({ worker }: JindoRuntimeSpec, { ports, tier, rdma }: PropertiesInput): Properties =>
  sorted({
    'storage.cluster.id': 'local',
    'storage.compaction.enable': 'false',
    'storage.compaction.period.minute': '2',
    'storage.maintainence.period.minute': '2',
    'storage.compaction.threshold': '16',
    'storage.cache.filelet.worker.threads': '200',
    'storage.address': 'localhost',
    ...(tier.isMemory && { 'storage.ram.cache.size': tier.capacity, 'storage.slicelet.buffer.size': tier.capacity }),
    'storage.rpc.port': String(ports.worker),
    'storage.data-dirs': tier.directories.join(),
    'storage.data-dirs.capacities': tier.capacities.join(),
    ...(tier.high && { 'storage.watermark.high.ratio': tier.high }),
    ...(tier.low && { 'storage.watermark.low.ratio': tier.low }),
    ...(rdma && { 'storage.namespace.rpc.rdma.enable': 'true', 'storage.rpc.rdma.enable': 'true' }),
    ...worker?.properties,
  });

/** The first version whose clients read ahead in the new way. */
const NEW_READAHEAD = [6, 2, 1] as const;

/** Properties of clients. */
export const clientProperties = ({ fuse }: JindoRuntimeSpec, parts: PropertiesInput): Properties => {
  const { engine, ports, tier, stores, readOnly, rdma, fuseTag } = parts;
  const isCache = engine === 'jindocache';
  return sorted({
    [`fs.${engine}.request.user`]: 'root',
    [`fs.${engine}.tmp.data.dir`]: '/tmp',
    [`fs.${engine}.client.metrics.enable`]: 'true',
    [`fs.${engine}.rpc.timeout`]: '30000',
    'fs.oss.download.queue.size': '16',
    'fs.oss.download.thread.concurrency': '32',
    'fs.s3.download.queue.size': '16',
    'fs.s3.download.thread.concurrency': '32',
    ...(isCache
      ? { 'fs.xengine': engine, 'jindofsx.read.readahead.prefetcher.version': isAtLeast(fuseTag, NEW_READAHEAD) ? 'default' : 'legacy' }
      : { [`fs.${engine}.data.cache.enable`]: 'true', [`fs.${engine}.meta.cache.enable`]: 'true' }),
    ...(readOnly && { [`fs.${engine}.read.only.enable`]: 'true' }),
    [`fs.${engine}.storage.rpc.port`]: String(ports.worker),
    [`fs.${engine}.ram.cache.enable`]: String(tier.isMemory),
    ...(rdma && { [`fs.${engine}.namespace.rpc.rdma.enable`]: 'true', [`fs.${engine}.storage.rpc.rdma.enable`]: 'true' }),
    ...stores.client,
    ...fuse?.properties,
  });
};

/** Log settings of masters and workers. The misspelt name is Jindo's. */
export const logProperties = ({ logConfig }: JindoRuntimeSpec, engine: EngineName): Properties =>
  sorted({
    'application.report.on': 'true',
    'metric.report.on': 'true',
    'logger.dir': `/tmp/${engine}-log`,
    'logger.cleanner.enable': 'true',
    'logger.consolelogger': 'true',
    'logger.jnilogger': 'false',
    'logger.sync': 'false',
    'logger.verbose': '0',
    ...logConfig,
  });

/** Log settings of clients, and the settings of stores that all their libraries read. */
export const clientLogProperties = (
  { fuse }: JindoRuntimeSpec,
  { engine, stores }: Pick<PropertiesInput, 'engine' | 'stores'>,
): Properties =>
  sorted({
    'logger.dir': '/tmp/fuse-log',
    'logger.consolelogger': 'true',
    'logger.level': '2',
    'logger.cleaner.enable': 'true',
    'logger.sync': 'false',
    'logger.verbose': '0',
    ...(engine === 'jindocache' && { 'hadoopConf.enable': 'false' }),
    ...stores.clientCommon,
    ...fuse?.logConfig,
  });

/** Each property is a line of a file, `name = value`, and of another an element of XML, which has no control characters. */
const isProperty = (key: string, value: string): boolean => /^\w[\w./-]*$/.test(key) && !/\p{Cc}/u.test(value);

/** Values are not shown: one may be a key of a store. */
export function checkProperties(fields: Readonly<Record<string, Properties | undefined>>): void {
  const faults = Object.entries(fields).flatMap(([path, properties = {}]): readonly Fault[] =>
    Object.entries(properties).flatMap(([key, value]) =>
      isProperty(key, value)
        ? []
        : [
            {
              path: `${path}[${key}]`,
              expected: 'a name of letters, digits and "._/-", and a value of one line without control characters',
              found: shown(key),
            },
          ],
    ),
  );
  if (faults.length > 0) throw new InvalidSpec(faults);
}
