import { keyPath, shown } from '../../src/api/index.ts';
import { ignored, type Options, type Warning } from '../../src/constructs/index.ts';

/** Options that both commands of the community edition know, each for itself. */
const BOTH = ['force', 'storage', 'bucket', 'storage-class', 'tag'];

/** Settings of a volume, which `juicefs format` writes. Source: `--help` of 1.3.0 and 1.4.2, which a test reads again. */
const FORMAT = `no-update access-key secret-key session-token block-size compress encrypt-rsa-key encrypt-algo hash-prefix shards capacity
  inodes trash-days enable-acl ranger-rest-url ranger-service kerberos-config-file`.split(/\s+/);

/** Settings of a client, which `juicefs mount` takes, those of FUSE among them. */
const MOUNT = `background no-syslog log hide-internal update-fstab disable-transparent-hugepage enable-xattr enable-cap enable-selinux
  enable-ioctl root-squash all-squash prefix-internal max-fuse-io umask subdir backup-meta backup-skip-trash heartbeat read-only no-bgjob
  atime-mode skip-dir-nlink skip-dir-mtime sort-dir fast-statfs network-interfaces attr-cache entry-cache dir-entry-cache
  negative-entry-cache readdir-cache open-cache open-cache-limit get-timeout put-timeout io-retries max-uploads max-downloads
  max-stage-write max-deletes upload-limit download-limit check-storage buffer-size max-readahead prefetch writeback
  writeback-threshold-size upload-delay upload-hours cache-dir cache-mode cache-size cache-items free-space-ratio cache-partial-only
  cache-large-write verify-cache-checksum cache-eviction cache-scan-interval cache-expire metrics custom-labels consul
  no-usage-report`.split(/\s+/);

/** Options of a mount that the kernel and `fusermount3` know. Source: mount(8), mount.fuse3(8). */
const FUSE = `ro rw suid nosuid dev nodev exec noexec async sync dirsync atime noatime diratime nodiratime relatime norelatime strictatime
  allow_other allow_root auto_unmount default_permissions nonempty fsname subtype max_read blksize blkdev defaults _netdev nofail
  user users noauto auto`.split(/\s+/);

/** Settings of all commands, which no help of a command lists. */
const GLOBAL = 'verbose debug quiet trace log-level log-id no-agent pyroscope no-color'.split(' ');
/** Options of a DataLoad's and a DataMigrate's commands, with short names. Source: as above. */
const WARMUP = 'file f threads p background b evict check'.split(' ');
const SYNC =
  `start s end e exclude include match-full-path max-size min-size max-age min-age start-time end-time limit update u force-update f
  existing ignore-non-existing ignore-existing files-from dirs perms links l inplace delete-src deleteSrc delete-src-after delete-dst deleteDst
  check-all check-new check-change max-failure dry mountpoint enable-checkpoint checkpoint-force-reset checkpoint-interval threads p
  list-threads list-depth no-https storage-class bwlimit traffic-control-url encrypt-rsa-key decrypt-rsa-key encrypt-algo decrypt-algo worker
  manager-addr metrics consul`.split(/\s+/);

export const TABLE = { both: BOTH, format: FORMAT, mount: MOUNT, fuse: FUSE, global: GLOBAL, warmup: WARMUP, sync: SYNC } as const;

const formatKnows = new Set([...BOTH, ...FORMAT]);
const formatAlone = new Set(FORMAT);
const known = new Set([...BOTH, ...FORMAT, ...MOUNT, ...FUSE, ...GLOBAL]);
const commands = { warmup: new Set([...WARMUP, ...GLOBAL]), sync: new Set([...SYNC, ...GLOBAL]) };

/** Whether any of the known versions of the command has an option, by its name without dashes. */
export const isOptionOf = (command: 'warmup' | 'sync', name: string): boolean => commands[command].has(name);

/** Whether `juicefs format` knows an option. */
export const isForFormat = (name: string): boolean => formatKnows.has(name);

/** The options that `juicefs format` knows. */
export const forFormat = (options: Options = {}): Options => only(options, isForFormat);

/** All but the settings of a volume: what no command is known to take goes to the client, as in Fluid, since another version may know it. */
export const forMount = (options: Options = {}): Options => only(options, (name) => !formatAlone.has(name));

/** Says which options of a client none of the commands is known to take. @param path of the field that has them */
export const unknownIn = (options: Options = {}, path: string): readonly Warning[] =>
  Object.keys(options)
    // A name that holds several options has a warning of its own.
    .filter((name) => !known.has(name) && name !== '' && !/[,=]/.test(name))
    .map((name) => ({
      reason: 'SpecAmbiguous',
      message: `${keyPath(path, name)}: expected an option of juicefs mount ${VERSIONS}, found ${shown(name)}; a client that does not know it ends at its start`,
    }));
/** Versions whose help texts are known. */
export const VERSIONS = '1.3 or 1.4';

/** Says which options of a client are settings of a volume, which only the Dataset has. */
export const settingsIn = (options: Options = {}, path: string): readonly Warning[] =>
  Object.keys(options)
    .filter((name) => formatAlone.has(name))
    .map((name) => ignored(keyPath(path, name), "is a setting of the volume; write it into the options of the Dataset's mount"));

const only = (options: Options, isWanted: (name: string) => boolean): Options =>
  Object.fromEntries(Object.entries(options).filter(([name]) => isWanted(name)));
