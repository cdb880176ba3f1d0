import type { PodExec } from '../../src/reconciler/kubernetes/exec.ts';

/** An Alluxio as its commands show it, in memory, in the formats of 2.9.4. */
export interface AlluxioFileSystem {
  readonly exec: PodExec;
  /** Lines of its table by path, without `/`. */
  readonly mounted: Map<string, { readonly source: string; readonly facts: string }>;
  /** What was read from workers and from below, in all. */
  readonly read: { local: number; ufs: number };
  readonly size: { files: number; bytes: number };
  /** One text for each exec: `<pod>/<container> <command>`. */
  readonly execs: string[];
}

export function alluxioFileSystem(): AlluxioFileSystem {
  const self: AlluxioFileSystem = {
    mounted: new Map(),
    read: { local: 0, ufs: 0 },
    size: { files: 1152, bytes: 154_262_709_011 },
    execs: [],
    async exec({ pod, container }, argv) {
      const script = argv[0] === 'bash' ? (argv[2] ?? '') : argv.join(' ');
      self.execs.push(`${pod}/${container} ${script.split('\n').at(-1)}`);
      return script
        .split('\n')
        .map((line) => answer(self, line))
        .join('');
    },
  };
  return self;
}

function answer({ mounted, read, size }: AlluxioFileSystem, line: string): string {
  if (line.includes('report metrics'))
    return `Cluster.BytesReadLocal  (Type: COUNTER, Value: ${read.local}B)
Cluster.BytesReadUfsAll  (Type: COUNTER, Value: ${read.ufs}B)
Cluster.CapacityTotal  (Type: GAUGE, Value: 4,294,967,296)
Cluster.CapacityUsed  (Type: GAUGE, Value: 1,073,741,824)
`;
  if (line.includes('fs count')) return `File Count               Folder Count             Folder Size\n${size.files}  4  ${size.bytes}\n`;
  const [, verb, rest = ''] = /^(?:alluxio fs )?(mount|unmount)(?: (.*))?$/.exec(line) ?? [];
  if (verb === 'unmount') mounted.delete(rest);
  if (verb !== 'mount') return '';
  if (!rest)
    return ['/underFSStorage  on  /    (local, capacity=1B, used=1B(11%), not read-only, not shared, properties={})']
      .concat([...mounted].map(([path, { source, facts }]) => `${source}  on  ${path}  (${facts})`))
      .join('\n');
  const words = rest.split(' ');
  const options = [...rest.matchAll(/--option ([^ ="]+)=(\S+)/g)].map(
    ([, key, value = '']) => `${key}=${value.startsWith('"') ? '******' : value}`,
  );
  const [path = '', source = ''] = words.slice(-2);
  const flag = (name: string) => `${words.includes(`--${name.replace('-', '')}`) ? '' : 'not '}${name}`;
  mounted.set(path, {
    source,
    facts: `s3, capacity=-1B, used=-1B, ${flag('read-only')}, ${flag('shared')}, properties={${options.join(', ')}}`,
  });
  return `Mounted ${source} at ${path}\n`;
}
