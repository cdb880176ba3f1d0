import type { PodExec } from '../../src/kube/exec.ts';
import { type Mounted, mountsText, obey } from './example-mounts.ts';

/** The file system of the example runtime, as far as its pods answer for it: in memory, one for each dataset. */
export interface ExampleFileSystem {
  readonly exec: PodExec;
  /** By `<namespace>/<name>`: what its masters have mounted. */
  readonly mounted: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** `<namespace>/<pod> example mount /data s3://bucket`, in order. */
  readonly commands: readonly string[];
  /** As after a restart of the masters. */
  forget(): void;
}

export function exampleFileSystem(): ExampleFileSystem {
  const mounted = new Map<string, Mounted>();
  const commands: string[] = [];
  return {
    mounted,
    commands,
    forget: () => mounted.clear(),
    async exec({ namespace, pod }, argv) {
      commands.push(`${namespace}/${pod} ${argv.join(' ')}`);
      const id = `${namespace}/${pod.replace(/-(master|worker)-\d+$/, '')}`;
      const paths: Mounted = mounted.get(id) ?? new Map();
      mounted.set(id, paths);
      if (argv[0] !== 'example') return '';
      switch (argv[1]) {
        case 'mounts':
          return mountsText(paths);
        case 'mount':
        case 'unmount':
          obey(paths, argv.slice(1));
          return '';
        case 'report':
          return 'cached 1024 hits 9 misses 1\n';
        case 'count':
          return '4096 2\n';
        case 'id':
          return 'c0ffee\n';
        default:
          throw new Error(`expected a command of the example's, found ${argv.join(' ')}`);
      }
    },
  };
}
