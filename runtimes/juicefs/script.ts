import { type Arg, hashOfScript, sh } from '../../src/constructs/index.ts';
import type { PodRole } from './pod.ts';
import type { Source } from './source.ts';

export interface Script {
  readonly text: string;
  readonly hash: string;
}
interface ScriptInput {
  readonly source: Source;
  /** Arguments of `juicefs format` or `juicefs auth`. */
  readonly login: readonly Arg[] | undefined;
  /** Options without which no volume is created: it must exist. */
  readonly missing: readonly string[];
  readonly mountPath: string;
  /** Options of the client, in the form of `-o`. */
  readonly options: string;
}

/** Paths in each edition's image. */
export const PROGRAMS = {
  community: { juicefs: '/usr/local/bin/juicefs', mount: '/bin/mount.juicefs' },
  enterprise: { juicefs: '/usr/bin/juicefs', mount: '/sbin/mount.juicefs' },
} as const;

/** The container's steps: log in, set the quota (once is enough, so workers need not), become the client. */
export function scriptOf(role: PodRole, { source, login, missing, mountPath, options }: ScriptInput): Script {
  const { edition, name, address, quota } = source;
  const { juicefs, mount } = PROGRAMS[edition];
  const text = [
    ['#!/bin/bash'],
    role === 'fuse' ? ['set -e'] : [],
    [''],
    edition === 'community' && missing.length > 0
      ? [...step('status', sh`if ! ${juicefs} status ${address} > /dev/null; then`), sh`  echo ${unfound(missing)} >&2`, '  exit 1', 'fi']
      : [],
    login && edition === 'community' && missing.length === 0
      ? step('format', sh`${juicefs} format ${login}` + (role === 'fuse' ? '' : sh` || echo ${NOT_FORMATTED} >&2`))
      : [],
    login && edition === 'enterprise'
      ? [sh`if [ ! -f ${`/root/.juicefs/${name}.conf`} ]; then`, ...step('auth', sh`${juicefs} auth ${login}`), 'fi']
      : [],
    // A directory that does not exist yet is created where the version can do so.
    quota && role === 'fuse' ? step('set quota', sh`${juicefs} quota ${quota} --create || ${juicefs} quota ${quota}`) : [],
    [''],
    step('mount', sh`exec ${mount} ${address} ${mountPath} -o ${options}`),
    [''],
  ]
    .flat()
    .join('\n');
  return { text, hash: hashOfScript(text) };
}

const unfound = (missing: readonly string[]): string =>
  `juicefs status ended with an error, see above. If there is no volume yet: to create one, the options of the Dataset's mount lack ${missing.join(' and ')}.`;

/** A worker goes on, as in Fluid: its volume may have been formatted long ago. */
const NOT_FORMATTED = 'juicefs format ended with an error, see above. This worker serves the volume that is there; clients of readers end.';

const step = (name: 'status' | 'format' | 'auth' | 'set quota' | 'mount', command: string): readonly string[] => [
  `echo "$(date '+%Y/%m/%d %H:%M:%S.%3N') juicefs ${name} start."`,
  command,
];
