import type { Cleanup } from '../../src/constructs/index.ts';
import type { EngineName } from './engines.ts';
import type { JindoPlan } from './plan.ts';
import { metadataIn } from './tiers.ts';

/** Jindo's command line, whose words differ between the engines. */
export interface CommandLine {
  readonly report: readonly string[];
  readonly mount: readonly string[];
  readonly unmount: readonly string[];
  readonly formatCache: readonly string[];
  /** Without the address. */
  readonly count: readonly string[];
  readonly load: readonly string[];
}
export const COMMANDS: Readonly<Record<EngineName, CommandLine>> = {
  jindocache: {
    report: ['jindocache', '-report'],
    mount: ['jindocache', '-mount'],
    unmount: ['jindocache', '-unmount'],
    formatCache: ['jindocache', '-formatCache'],
    count: ['jindo', 'fs', '-count'],
    load: ['jindocache', '-load'],
  },
  jindofsx: {
    report: ['jindo', 'fs', '-report'],
    mount: ['jindo', 'admin', '-mount'],
    unmount: ['jindo', 'admin', '-unmount'],
    formatCache: ['jindo', 'fs', '-formatCache', '-force'],
    count: ['hadoop', 'fs', '-count'],
    load: ['jindo', 'fs', '-load'],
  },
};

/** Seconds. A command of Jindo waits for a master that starts, and its client tries each of three masters in turn. */
const SECONDS = 60;

type Masters = Pick<JindoPlan, 'masters'>;

/** A command in a master. It finds the one that leads by itself: its configuration names all of them. */
export const master = ({ masters }: Masters, argv: readonly string[], timeoutSeconds: number = SECONDS) =>
  ({ in: 'master', on: masters.length > 1 ? 'one' : 'first', container: 'jindofs-master', argv, timeoutSeconds }) as const;

/** Only what is below, dot files too: a directory itself may be a mount of the pod's. Arguments: an entry to keep, then directories. */
const EMPTY = `shopt -s dotglob nullglob
keep=$1 failed=0
shift
for directory; do
  for entry in "$directory"/*; do
    [ "$entry" = "$keep" ] || rm -rf -- "$entry" || failed=$?
  done
done
exit $failed`;
const empty = (keep: string, directories: readonly string[]): readonly string[] => ['bash', '-c', EMPTY, 'bash', keep, ...directories];

/**
 * Caches on nodes outlive pods. Jindo drops its cache first, so that nothing is written there again; Jindo deletes in the background, and
 * its workers would end before it is done, so each of them then empties its own directories. A master on the same node still writes there;
 * masters are last, and empty the directory of their metadata.
 */
export const removeCache: Cleanup<JindoPlan> = {
  commands: (plan) =>
    plan.nodeCaches.length > 0 && plan.masters.length > 0
      ? [
          { ...master(plan, COMMANDS[plan.engine].formatCache, plan.cleaning.graceSeconds), mayFail: true },
          { in: 'worker', on: 'every', container: 'jindofs-worker', argv: empty(metadataIn(plan.nodeCaches), plan.nodeCaches) },
          { in: 'master', on: 'every', container: 'jindofs-master', argv: empty('', plan.nodeCaches.slice(0, 1)) },
        ]
      : [],
};
