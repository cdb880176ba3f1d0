import type { PodExec } from '../../src/kube/exec.ts';

/** The file system of the pair runtime, as far as the masters of one dataset answer for it, in memory. */
export interface PairFileSystem {
  readonly exec: PodExec;
  /** Name of the pod that leads; '' during an election. */
  leader: string;
  /** Bytes that are read from now on, and the size of the data. */
  readBytes: number;
  totalBytes: number;
  /** Sources by path. */
  readonly mounted: ReadonlyMap<string, string>;
  /** `<pod>/<container> pairfs mounts`, in order; a script is its lines. */
  readonly commands: readonly string[];
}

export function pairFileSystem(): PairFileSystem {
  const mounted = new Map<string, string>();
  const commands: string[] = [];
  const self: PairFileSystem = {
    leader: 'demo-pairfs-master-1',
    readBytes: 0,
    totalBytes: 1024,
    mounted,
    commands,
    async exec({ pod, container }, argv) {
      const lines = argv[0] === 'sh' ? (argv[2] ?? '').split('\n').slice(1) : [argv.join(' ')];
      commands.push(...lines.map((line) => `${pod}/${container} ${line}`));
      return lines.map((line) => answer(pod, line.split(' '))).join('');
    },
  };
  return self;

  function answer(pod: string, [, verb, path = '', source = '']: readonly string[]): string {
    if (verb === 'leader') return `${self.leader}\n`;
    if (pod !== self.leader) throw new Error(`${pod} does not lead`);
    if (verb === 'mount') mounted.set(path, source);
    if (verb === 'unmount') mounted.delete(path);
    if (verb === 'mounts') return [...mounted].map((row) => `${row.join(' ')}\n`).join('');
    if (verb === 'counters') return `${self.readBytes}\n`;
    if (verb === 'count') return `${self.totalBytes}\n`;
    return '';
  }
}
