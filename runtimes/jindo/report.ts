/** The masters' figures of the cache of all workers, in bytes. */
export interface Report {
  readonly capacity: number;
  readonly used: number;
}

/** Reads the lines of `-report` for the medium that is used. Jindo prints powers of 1024 as `250.38GB`. */
export function readReport(text: string, isMemory: boolean): Report {
  const medium = isMemory ? 'MEM' : 'Disk';
  const sizes = [...text.matchAll(LINE)].filter(([, , of]) => of === medium);
  const sizeOf = (name: 'Total' | 'Used') => bytesIn(sizes.find(([, which]) => which === name));
  const [capacity, used] = [sizeOf('Total'), sizeOf('Used')];
  if (capacity === undefined || used === undefined) throw new Error(`the report of Jindo has no ${medium} capacity: ${text.slice(0, 200)}`);
  return { capacity, used };
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

const LINE = /^[ \t]*(Total|Used) (MEM|Disk) Capacity:[ \t]*(\d+(?:\.\d+)?)(?:[ \t]*([KMGTP]?B))?[ \t]*$/gm;

const bytesIn = (line: RegExpExecArray | undefined): number | undefined => line && Number(line[3]) * 1024 ** UNITS.indexOf(line[4] ?? 'B');

/** Directories, files and bytes below a path, as Hadoop's `-count` prints them. */
export function readCount(text: string): { readonly totalBytes: number; readonly files: number } {
  const [, , files, bytes] = /^[ \t]*(\d+)[ \t]+(\d+)[ \t]+(\d+)\b/m.exec(text) ?? [];
  if (files === undefined || bytes === undefined) throw new Error(`-count said: ${text.slice(0, 200) || 'nothing'}`);
  return { totalBytes: Number(bytes), files: Number(files) };
}
