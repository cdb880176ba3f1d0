/** Default properties, without the prefix `alluxio.` of their keys. */
const DEFAULTS = {
  'fuse.cached.paths.max': '1000000',
  'fuse.debug.enabled': 'false',
  'fuse.jnifuse.enabled': 'true',
  'fuse.jnifuse.libfuse.version': '3',
  'fuse.logging.threshold': '1000ms',
  'fuse.special.command.enabled': 'true',
  'job.master.finished.job.retention.time': '30sec',
  'job.worker.threadpool.size': '32',
  'master.journal.folder': '/journal',
  'master.journal.log.size.bytes.max': '500MB',
  'master.metadata.sync.concurrency.level': '128',
  'master.metadata.sync.executor.pool.size': '128',
  'master.metadata.sync.ufs.prefetch.pool.size': '128',
  'master.metastore': 'ROCKS',
  'master.metastore.inode.cache.max.size': '10000000',
  'master.rpc.executor.core.pool.size': '128',
  'master.rpc.executor.max.pool.size': '1024',
  'master.security.impersonation.root.groups': '*',
  'master.security.impersonation.root.users': '*',
  'security.authorization.permission.enabled': 'false',
  'security.stale.channel.purge.interval': '365d',
  'underfs.object.store.breadcrumbs.enabled': 'false',
  'user.block.avoid.eviction.policy.reserved.size.bytes': '2GB',
  'user.block.master.client.pool.gc.threshold': '10min',
  'user.block.master.client.threads': '1024',
  'user.block.size.bytes.default': '16MB',
  'user.block.worker.client.pool.min': '512',
  'user.block.write.location.policy.class': 'alluxio.client.block.policy.LocalFirstAvoidEvictionPolicy',
  'user.client.cache.enabled': 'false',
  'user.file.create.ttl.action': 'FREE',
  'user.file.master.client.threads': '1024',
  'user.file.passive.cache.enabled': 'false',
  'user.file.readtype.default': 'CACHE',
  'user.local.reader.chunk.size.bytes': '32MB',
  'user.logging.threshold': '1000ms',
  'user.metadata.cache.enabled': 'true',
  'user.metadata.cache.expiration.time': '10min',
  'user.metadata.cache.max.size': '6000000',
  'user.metrics.collection.enabled': 'true',
  'user.streaming.reader.chunk.size.bytes': '32MB',
  'user.ufs.block.read.location.policy': 'alluxio.client.block.policy.LocalFirstPolicy',
  'user.update.file.accesstime.disabled': 'true',
  'user.worker.list.refresh.interval': '2min',
  'worker.allocator.class': 'alluxio.worker.block.allocator.MaxFreeAllocator',
  'worker.block.master.client.pool.size': '1024',
  'worker.network.reader.buffer.size': '32MB',
} as const;

/** A web server answers late, and each question costs: large pieces, patiently. */
const OVER_HTTP = {
  'user.block.size.bytes.default': '256MB',
  'user.local.reader.chunk.size.bytes': '256MB',
  'user.streaming.data.timeout': '300sec',
  'user.streaming.reader.chunk.size.bytes': '256MB',
  'worker.network.reader.buffer.size': '256MB',
} as const;

export interface DefaultsInput {
  readonly overHttp: boolean;
  readonly readOnly: boolean;
  /** The whole cache is one directory. */
  readonly isPlain: boolean;
  /** Clients see the directories of the worker on their node. */
  readonly isShared: boolean;
  /** The Dataset says whose the files are. */
  readonly isOwned: boolean;
  /** Copies of a file. */
  readonly copies: number;
  readonly hasOneMaster: boolean;
  /** Programs may write everywhere in their containers. */
  readonly isRoot: boolean;
}

export const defaultsFor = ({
  overHttp,
  readOnly,
  isPlain,
  isShared,
  isOwned,
  copies,
  hasOneMaster,
  isRoot,
}: DefaultsInput): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({
      ...DEFAULTS,
      'master.journal.type': hasOneMaster ? 'UFS' : 'EMBEDDED',
      'user.file.replication.max': String(Math.max(1, copies)),
      ...(overHttp && OVER_HTTP),
      ...(readOnly && isPlain && { 'user.direct.memory.io.enabled': 'true' }),
      ...(!isShared && { 'user.short.circuit.enabled': 'false' }),
      ...(!isRoot && { 'master.metastore.dir': '/journal/metastore' }),
      ...(!isOwned && { 'fuse.user.group.translation.enabled': 'true' }),
    }).map(([key, value]) => [`alluxio.${key}`, value]),
  );

/** Fluid's options, for masters of millions of files. Smaller installations set their own. */
export const JVM_OPTIONS = {
  master: ['-Xmx16G', '-XX:+UnlockExperimentalVMOptions'],
  worker: ['-Xmx12G', '-XX:+UnlockExperimentalVMOptions', '-XX:MaxDirectMemorySize=32g'],
  fuse: ['-Xmx16G', '-Xms16G', '-XX:+UseG1GC', '-XX:MaxDirectMemorySize=32g', '-XX:+UnlockExperimentalVMOptions'],
} as const;
