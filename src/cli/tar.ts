/** The parts of a tar archive in the ustar format. */
const BLOCK = 512;
const TYPES = { directory: '5', link: '2', file: '0' } as const;

export interface TarHeader {
  readonly path: string;
  readonly kind: keyof typeof TYPES;
  /** Ignored for a link. */
  readonly mode: number;
  /** Size of the content, in bytes. Default 0. */
  readonly size?: number;
  /** Where a link leads. */
  readonly target?: string;
  /** Seconds since the epoch. Default 0. */
  readonly changedAt?: number;
}

/** The header of an entry. Throws for a path that the format has no room for (255 bytes, 100 in its last part). */
export function tarHeader({ path, kind, mode, size = 0, target = '', changedAt = 0 }: TarHeader): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { prefix, name } = split(kind === 'directory' ? `${path}/` : path);
  block.write(name, 0);
  block.write(octal(kind === 'link' ? 0o777 : mode, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(changedAt, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write(TYPES[kind], 156);
  if (Buffer.byteLength(target) > 100) throw new Error(`no room in a tar archive for the link ${path} → ${target}`);
  block.write(target, 157);
  block.write('ustar\u000000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `.slice(0, 8), 148);
  return block;
}

/** The padding after a content of this size. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** The end of an archive. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

/** A long path is split at a slash. */
function split(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== '' && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { prefix, name };
  }
  throw new Error(`no room in a tar archive for the path ${path}`);
}

/** `width` counts the closing zero byte. */
const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;
