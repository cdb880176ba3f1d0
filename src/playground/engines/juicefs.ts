/**
 * The default answers of a simulated pod: a JuiceFS that works. The community edition's texts are recorded (scripts/record-juicefs.sh); the
 * figures of the enterprise edition, which cannot be installed here, are a stand-in in its format.
 */
import type { ExecAnswer, ExecCall } from './exec-call.ts';
import { RECORDED } from './juicefs-recorded.gen.ts';

/** `undefined` for a command that JuiceFS' pods would not know. */
export function defaultAnswer(call: ExecCall): ExecAnswer | undefined {
  const line = call.argv.join(' ');
  return ANSWERS.find(([pattern]) => pattern.test(line))?.[1](call, line);
}

const ANSWERS: readonly (readonly [RegExp, (call: ExecCall, line: string) => ExecAnswer])[] = [
  [/\b(cat|grep -a( -e \w+)+) \S*\/\.stats\b/, () => ({ stdout: STATS })],
  [/\bdf -B 1\b.*\bwc -l/, ({ argv }) => ({ stdout: `${df(argv.at(-1) ?? '')}3\n` })],
  [/\bdf -B 1\b/, (call, line) => ({ stdout: df(line.match(/df -B 1 +(\/\S+)/)?.[1] ?? mountPath(call)) })],
  [/\bls -lR .*\bwc -l/, () => ({ stdout: '3\n' })],
  [/\bls -lR\b/, () => ({ stdout: listing() })],
  [/\bdu -sb\b/, (_, line) => ({ stdout: `15004096\t${line.match(/du -sb +(\/[^\s"']+)/)?.[1] ?? '.'}\n` })],
  [/\bjuicefs summary\b/, () => ({ stdout: RECORDED.summary })],
  [/\bjuicefs status\b/, (call) => ({ stdout: RECORDED.status.replaceAll(/"MountPoint": ".*"/g, `"MountPoint": "${mountPath(call)}"`) })],
  [/\bjuicefs warmup\b/, () => ({ stderr: RECORDED.warmup })],
  [/\bjuicefs (gc|fsck|sync|quota|umount|version|auth|format)\b/, () => ({})],
  [/^(timeout \S+ )?(rm -rf|mkdir -p|ls|stat|true|umount|test|sync)\b|^sh -c code=0\nfor folder;/, () => ({})],
];

/** The cache statistics that both editions' clients print. */
const STATS = [
  RECORDED.stats,
  'blockcache.blocks: 9720\nblockcache.bytes: 40757435762\nblockcache.evict: 0\nblockcache.hitBytes: 40717671794\n',
  'blockcache.hits: 9708\nblockcache.miss: 292\nblockcache.missBytes: 1224736768\n',
].join('');

const df = (path: string): string => RECORDED.df.replace('/work/team', path);

/** Where the pod's runtime has its mount: the runtime's name is the pod's without what its workload appended. */
function mountPath({ namespace, pod }: ExecCall): string {
  const runtime = pod.replace(/-(fuse-[a-z0-9]+|worker-\d+)$/, '');
  return `/runtime-mnt/juicefs/${namespace}/${runtime}/juicefs-fuse`;
}

function listing(): string {
  const files = [1, 2, 3].map((i) => `-rw-r--r-- 1 root root 5000000 Nov 26 18:23 ${i}`);
  return ['.:', 'total 14652', ...files, ''].join('\n');
}
