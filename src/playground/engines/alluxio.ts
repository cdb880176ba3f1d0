/** An Alluxio as its commands and its master's web port show it, in memory, in the formats of 2.9.4: it keeps its table of mounts. No Alluxio runs. */

export interface SimulatedAlluxio {
  /** The pod of its masters that leads, of several; '' during an election. */
  leader?: string;
  /** The engine's table by path, without `/`. */
  readonly mounted: Map<string, Row>;
  /** The table as the engine lists it. */
  shows: (mounted: ReadonlyMap<string, Row>) => ReadonlyMap<string, Row>;
  /** Paths at which it mounts nothing. */
  readonly refuses: Set<string>;
  /** `mount /data`, `unmount /data`, in order. */
  readonly changes: string[];
  /** Bytes read from workers and from the store below, in all. */
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
  refuses: new Set(),
  changes: [],
  read: { local: 0, ufs: 0 },
  size: { files: 1152, bytes: 154_262_709_011 },
});

/** The output of one of Sluice's commands; `undefined` for one that Alluxio's pods would not know. */
export function alluxioAnswer(alluxio: SimulatedAlluxio, argv: readonly string[]): string | undefined {
  const script = argv[1] === '-c' ? (argv[2] ?? '') : argv.join(' ');
  if (script.includes('/.alluxiocli.')) return '';
  // A worker's cache, of which there are no files here.
  if (script.includes('rm -rf "$directory"')) return '';
  const [, masters] = /^at=\$\(\{ for at in ([^;]+);.*\nprintf '%s\\n' "\$at"$/m.exec(script) ?? [];
  if (masters !== undefined) return `${alluxio.leader ?? masters.split(' ')[0]}\n`;
  if (!/\balluxio (fs|fsadmin)\b/.test(script)) return undefined;
  if (script.includes('web /metrics/json/')) return metrics(alluxio);
  if (script.includes('web /api/v1/master/info')) return JSON.stringify({ mountPoints: mountPoints(alluxio) });
  const said = script
    .split('\n')
    .map((line) => answer(alluxio, line))
    .join('');
  if (said.includes(REFUSED)) throw new Error(REFUSED);
  return said;
}

const REFUSED = 'no such bucket';

const metrics = ({ read }: SimulatedAlluxio): string => `"Cluster.CapacityTotal":{"value":4294967296
"Cluster.CapacityUsed":{"value":1073741824
"Cluster.BytesReadLocal":{"count":${read.local}
"Cluster.BytesReadUfsAll":{"count":${read.ufs}
underfs version: 3.3.4
`;

const mountPoints = ({ mounted, shows }: SimulatedAlluxio) =>
  Object.fromEntries([
    ['/', { ufsUri: '/underFSStorage', readOnly: false, shared: false, properties: {} }],
    ...[...shows(mounted)].map(([path, { source, readOnly, shared, options }]) => [
      path,
      { ufsUri: source, readOnly, shared, properties: options },
    ]),
  ]) as object;

function answer({ mounted, shows, refuses, changes, size }: SimulatedAlluxio, line: string): string {
  if (line.includes('fs count')) return `File Count               Folder Count             Folder Size\n${size.files}  4  ${size.bytes}\n`;
  const [, verb, rest = ''] = /^(?:.* && )?(?:alluxio fs )?(mount|unmount)(?: (.*?))?(?: \|\| failed=\$\?)?$/.exec(line) ?? [];
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
  changes.push(`mount ${path}`);
  if (refuses.has(path)) return REFUSED;
  mounted.set(path, { source, readOnly: words.includes('--readonly'), shared: words.includes('--shared'), options });
  return `Mounted ${source} at ${path}\n`;
}

function factsOf({ readOnly, shared, options }: Row): string {
  const properties = Object.entries(options).map(([key, value]) => `${key}=${value}`);
  return `s3, capacity=-1B, used=-1B, ${readOnly ? '' : 'not '}read-only, ${shared ? '' : 'not '}shared, properties={${properties.join(', ')}}`;
}
