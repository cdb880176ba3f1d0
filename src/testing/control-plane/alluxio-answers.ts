/** An Alluxio as its commands show it, in memory, in the formats of 2.9.4: it keeps its table of mounts. No Alluxio runs. */

export interface SimulatedAlluxio {
  /** Its table by path, without `/`. */
  readonly mounted: Map<string, Row>;
  /** What it shows of its table. */
  shows: (mounted: ReadonlyMap<string, Row>) => ReadonlyMap<string, Row>;
  /** `mount /data`, `unmount /data`, in order. */
  readonly changes: string[];
  /** What was read from workers and from below, in all. */
  readonly read: { local: number; ufs: number };
  readonly size: { files: number; bytes: number };
}

interface Row {
  readonly source: string;
  readonly readOnly: boolean;
  readonly shared: boolean;
  /** As they are shown: secrets are masked. */
  readonly options: Readonly<Record<string, string>>;
}

export const simulatedAlluxio = (): SimulatedAlluxio => ({
  mounted: new Map(),
  shows: (mounted) => mounted,
  changes: [],
  read: { local: 0, ufs: 0 },
  size: { files: 1152, bytes: 154_262_709_011 },
});

/** What a command of ours prints; `undefined` for one that Alluxio's pods would not know. */
export function alluxioAnswer(alluxio: SimulatedAlluxio, argv: readonly string[]): string | undefined {
  const script = argv[0] === 'bash' ? (argv[2] ?? '') : argv.join(' ');
  if (!/\balluxio (fs|fsadmin)\b/.test(script)) return undefined;
  return script
    .split('\n')
    .map((line) => answer(alluxio, line))
    .join('');
}

function answer({ mounted, shows, changes, read, size }: SimulatedAlluxio, line: string): string {
  if (line.includes('report metrics'))
    return `Cluster.BytesReadLocal  (Type: COUNTER, Value: ${read.local}B)
Cluster.BytesReadUfsAll  (Type: COUNTER, Value: ${read.ufs}B)
Cluster.CapacityTotal  (Type: GAUGE, Value: 4,294,967,296)
Cluster.CapacityUsed  (Type: GAUGE, Value: 1,073,741,824)
`;
  if (line.includes('fs count')) return `File Count               Folder Count             Folder Size\n${size.files}  4  ${size.bytes}\n`;
  const [, verb, rest = ''] = /^(?:alluxio fs )?(mount|unmount)(?: (.*))?$/.exec(line) ?? [];
  if (verb === 'unmount') {
    mounted.delete(rest);
    changes.push(`unmount ${rest}`);
  }
  if (verb !== 'mount') return '';
  if (!rest)
    return ['/underFSStorage  on  /    (local, capacity=1B, used=1B(11%), not read-only, not shared, properties={})']
      .concat([...shows(mounted)].map(([path, row]) => `${row.source}  on  ${path}  (${factsOf(row)})`))
      .join('\n');
  const words = rest.split(' ');
  const options = Object.fromEntries(
    [...rest.matchAll(/--option ([^ ="]+)=(\S+)/g)].map(([, key = '', value = '']): [string, string] => [
      key,
      value.startsWith('"') ? '******' : value,
    ]),
  );
  const [path = '', source = ''] = words.slice(-2);
  mounted.set(path, { source, readOnly: words.includes('--readonly'), shared: words.includes('--shared'), options });
  changes.push(`mount ${path}`);
  return `Mounted ${source} at ${path}\n`;
}

function factsOf({ readOnly, shared, options }: Row): string {
  const properties = Object.entries(options).map(([key, value]) => `${key}=${value}`);
  return `s3, capacity=-1B, used=-1B, ${readOnly ? '' : 'not '}read-only, ${shared ? '' : 'not '}shared, properties={${properties.join(', ')}}`;
}
