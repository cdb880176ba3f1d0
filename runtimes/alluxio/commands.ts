import type { Cleanup } from '../../src/constructs/index.ts';
import type { AlluxioPlan } from './plan.ts';

/** Seconds. Each of Alluxio's commands starts a Java virtual machine, which takes two to four seconds on an idle node. */
const SECONDS = 120;

type Masters = Pick<AlluxioPlan, 'masters'>;

/** A command at the master that leads. */
export const master = ({ masters }: Masters, argv: readonly string[], timeoutSeconds: number = SECONDS) =>
  ({ ...anyMaster({ masters }, argv, timeoutSeconds), on: masters.length > 1 ? 'leader' : 'first' }) as const;

/** A question that any master can put to the one that leads, which spares the search for its pod. */
export const anyMaster = ({ masters }: Masters, argv: readonly string[], timeoutSeconds: number = SECONDS) =>
  ({ in: 'master', on: masters.length > 1 ? 'one' : 'first', container: 'alluxio-master', argv, timeoutSeconds }) as const;

/**
 * Clients keep metadata for minutes, of files that exist and of files that do not; this special path makes a client drop it. The path has a
 * new name each time, since the kernel keeps names too. A client that starts has no metadata yet; one that hangs drops it later.
 */
const FORGET = 'ls -l "$0/.alluxiocli.metadatacache.dropAll.$RANDOM$RANDOM$RANDOM" > /dev/null 2>&1 || :';

export const forget = ({ mountPath }: AlluxioPlan) =>
  ({
    in: 'fuse',
    on: 'every',
    container: 'alluxio-fuse',
    argv: ['bash', '-c', FORGET, mountPath],
    timeoutSeconds: 5,
    mayFail: true,
  }) as const;

/** Only what is below: the directory itself is a mount of the pod's. */
const EMPTY = 'for directory; do rm -rf "$directory"/*; done';

/**
 * Caches on nodes outlive pods. Each worker removes its own, since Alluxio only notes what to free: a worker that ends before it reads the
 * note leaves its cache. A cache that ends with its pod needs no command.
 */
export const removeCache: Cleanup<AlluxioPlan> = {
  commands: ({ nodeCaches }) =>
    nodeCaches.length > 0
      ? [{ in: 'worker', on: 'every', container: 'alluxio-worker', argv: ['bash', '-c', EMPTY, 'bash', ...nodeCaches] }]
      : [],
};
