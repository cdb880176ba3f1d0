/** Alluxio's counters, from the master's metrics or `alluxio fsadmin report`. Bytes; throughput in bytes a minute. */
export interface Report {
  readonly capacity: number;
  readonly used: number;
  /** Version of the file system below, where the master knows it. */
  readonly version?: string;
  /** Since its processes started. */
  readonly read: Sources;
  /** Throughput of the last minute. */
  readonly throughput: Sources;
  /** Bytes read between the report before and this one. */
  readonly since: Sources;
}
/** From a worker on the reader's node, from another worker, from where the data comes from. */
export interface Sources {
  readonly local: number;
  readonly remote: number;
  readonly ufs: number;
}

/**
 * Reads `report metrics`, or that and `report summary` if a version's metrics have no capacity. `before` is the last report; without one,
 * all reads so far count as new.
 */
export function readReport(text: string, before?: Report): Report {
  const metrics = metricsOf(text);
  const read = {
    local: metrics.get('Cluster.BytesReadLocal') ?? 0,
    remote: metrics.get('Cluster.BytesReadRemote') ?? 0,
    ufs: metrics.get('Cluster.BytesReadUfsAll') ?? 0,
  };
  const used = metrics.get('Cluster.CapacityUsed') ?? summary(text, /^[ \t]*Used Capacity: (.*)$/m);
  const capacity = metrics.get('Cluster.CapacityTotal') ?? summary(text, /^[ \t]*Total Capacity: (.*)$/m);
  if (used === undefined || capacity === undefined) throw new Error(`alluxio fsadmin report prints no capacity: ${text.slice(0, 200)}`);
  const [, version] = /^underfs version: (\S+)$/m.exec(text) ?? [];
  return {
    capacity,
    used,
    ...(version !== undefined && { version }),
    read,
    throughput: {
      local: metrics.get('Cluster.BytesReadLocalThroughput') ?? 0,
      remote: metrics.get('Cluster.BytesReadRemoteThroughput') ?? 0,
      ufs: metrics.get('Cluster.BytesReadUfsThroughput') ?? 0,
    },
    since: {
      local: growth(read.local, before?.read.local),
      remote: growth(read.remote, before?.read.remote),
      ufs: growth(read.ufs, before?.read.ufs),
    },
  };
}

/** A counter that is smaller than before was reset: its process restarted. */
const growth = (now: number, before = 0): number => (now < before ? now : now - before);

/** `"Cluster.BytesReadLocal":{"count":20310917` of the web port. */
const OF_WEB = /^"([\w.]+)":\{"\w+":([0-9.E+]+)$/gm;
/** `Cluster.BytesReadLocal  (Type: COUNTER, Value: 19.37MB)` of a command. */
const OF_COMMAND = /^[ \t]*(\S+)[ \t]+\(Type: \w+, Value: ([^)\s]+)\)$/gm;

const metricsOf = (text: string): ReadonlyMap<string, number> =>
  new Map([...figures(text, OF_WEB, Number), ...figures(text, OF_COMMAND, sizeOf)]);
const figures = (text: string, lines: RegExp, read: (value: string) => number | undefined): readonly (readonly [string, number])[] =>
  [...text.matchAll(lines)].flatMap(([, name = '', value = '']) => {
    const number = read(value);
    return number === undefined || Number.isNaN(number) ? [] : [[name, number] as const];
  });

const summary = (text: string, line: RegExp): number | undefined => sizeOf(line.exec(text)?.[1] ?? '');

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** `19.37MB`, `495.97KB/MIN` or `6,367,897`; Alluxio's units are powers of 1024. */
function sizeOf(text: string): number | undefined {
  const [, amount, unit] = /^([\d.,]+)([KMGTP]?B)?(?:\/MIN)?$/.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount.replaceAll(',', '')) * 1024 ** Math.max(0, UNITS.indexOf(unit ?? 'B'));
}

/** Files and bytes below a path, from `alluxio fs count`. */
export function readCount(text: string): { readonly totalBytes: number; readonly files: number } {
  const [, files, , bytes] = /^[ \t]*(\d+)[ \t]+(\d+)[ \t]+(\d+)[ \t]*$/m.exec(text) ?? [];
  if (files === undefined || bytes === undefined) throw new Error(`alluxio fs count said: ${text.slice(0, 200) || 'nothing'}`);
  return { totalBytes: Number(bytes), files: Number(files) };
}
