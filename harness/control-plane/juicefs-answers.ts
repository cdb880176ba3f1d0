/** What a simulated pod answers before a test says otherwise: a JuiceFS that works, in the formats of its community and cloud clients. */
import type { ExecAnswer, ExecCall } from './exec-call.ts';

const UUID = '0b1c6f5e-8a55-4c3a-9b5c-3f1d2e4a6b70';
const USED_BYTES = 87_687_856_128;

/** `undefined` for a command that JuiceFS' pods would not know. */
export function defaultAnswer(call: ExecCall): ExecAnswer | undefined {
  const line = call.argv.join(' ');
  return ANSWERS.find(([pattern]) => pattern.test(line))?.[1](call, line);
}

const ANSWERS: readonly (readonly [RegExp, (call: ExecCall, line: string) => ExecAnswer])[] = [
  [/\b(cat|grep -a blockcache) \S*\/\.stats\b/, () => ({ stdout: STATS })],
  [/\bdf -B 1\b.*\bwc -l/, ({ argv }) => ({ stdout: `${df(argv.at(-1) ?? '')}1152\n` })],
  [/\bdf -B 1\b/, (call, line) => ({ stdout: df(line.match(/df -B 1 +(\/\S+)/)?.[1] ?? mountPath(call)) })],
  [/\bls -lR .*\bwc -l/, () => ({ stdout: '1152\n' })],
  [/\bls -lR\b/, () => ({ stdout: listing() })],
  [/\bdu -sb\b/, (_, line) => ({ stdout: `154262709011\t${line.match(/du -sb +(\/[^\s"']+)/)?.[1] ?? '.'}\n` })],
  [/\bjuicefs status\b/, (_, line) => ({ stdout: status(line.match(/juicefs status +([^\s"']+)/)?.[1] ?? 'redis://redis:6379/0') })],
  [/\bjuicefs (warmup|gc|fsck|sync|quota|umount|version|auth|format)\b/, () => ({})],
  [/^(timeout \S+ )?(rm -rf|mkdir -p|ls|stat|true|umount|test|sync)\b/, () => ({})],
];

/** Both clients' names for the same figures, as `cat <mount>/.stats` prints them. */
const STATS = [
  ['blockcache.blocks', 9720],
  ['blockcache.bytes', 40_757_435_762],
  ['blockcache.evict', 0],
  ['blockcache.hitBytes', 40_717_671_794],
  ['blockcache.hits', 9708],
  ['blockcache.miss', 292],
  ['blockcache.missBytes', 1_224_736_768],
]
  .flatMap(([name, value]) => [`${name}: ${value}`, `juicefs_${String(name).replace('.', '_').replace('Bytes', '_bytes')} ${value}`])
  .toSorted()
  .concat('')
  .join('\n');

function df(path: string): string {
  const rows = [
    ['Filesystem', '1B-blocks', 'Used', 'Available', 'Use%', 'Mounted on'],
    ['overlay', '103865303040', '32212254720', '71653048320', '32%', '/'],
    ['JuiceFS:sluice', '1125899906842624', String(USED_BYTES), String(1_125_899_906_842_624 - USED_BYTES), '1%', path],
  ];
  return rows.map((row) => `${row.join(' ')}\n`).join('');
}

/** Where the pod's runtime has its mount: the runtime's name is the pod's without what its workload appended. */
function mountPath({ namespace, pod }: ExecCall): string {
  const runtime = pod.replace(/-(fuse-[a-z0-9]+|worker-\d+)$/, '');
  return `/runtime-mnt/juicefs/${namespace}/${runtime}/juicefs-fuse`;
}

function listing(): string {
  const files = Array.from({ length: 7 }, (_, i) => `-rw-r--r-- 1 root root 4194304 Jun 12 08:30 part-0000${i}.parquet`);
  return ['.:', 'total 28680', 'drwxr-xr-x 2 root root 4096 Jun 12 08:30 train', '', './train:', 'total 28676', ...files, ''].join('\n');
}

function status(source: string): string {
  const setting = {
    Name: 'sluice',
    UUID,
    Storage: 's3',
    Bucket: 'http://minio:9000/sluice',
    BlockSize: 4096,
    Compression: 'none',
    TrashDays: 1,
  };
  const log = `2025/06/12 08:30:00.512323 juicefs[7] <INFO>: Meta address: ${source} [interface.go:402]\n`;
  return `${log}${JSON.stringify({ Setting: setting, Sessions: [] }, null, 2)}\n`;
}
