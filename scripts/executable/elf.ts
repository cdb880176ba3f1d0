/**
 * Puts a program of JavaScript into a copy of Node for Linux, where Node's single executable applications look for it: in an ELF note that is
 * loaded with the program, see elf(5). Node's documentation names a package for it. The file only grows at its end, which needs no package.
 *
 * A note in memory needs two more program headers, and behind the table of headers is no room. So table and note are one new segment at the
 * end of the file. Nothing else moves.
 */

/** Node runs what is in the note once this text in it ends with 1. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
const NOTE_NAME = 'NODE_SEA_BLOB';

/** Kinds of segments. */
const [LOAD, NOTE, PHDR] = [1, 4, 6] as const;
const READABLE = 4;
/** The largest page of any Linux on arm64. */
const PAGE = 0x1_00_00;
const HEADER_SIZE = 56;

/** Fields of a program header. Addresses are where the program is in memory, offsets where it is in the file. */
interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly sizeInFile: number;
  readonly sizeInMemory: number;
  readonly alignment: number;
}

/** @throws Error for anything but a 64-bit little-endian ELF file with exactly one unused fuse. */
export function withBlob(node: Buffer, blob: Buffer): Buffer {
  if (node.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') throw new Error('expected a 64-bit little-endian ELF file');
  const old = segmentsOf(node);
  const loaded = old.filter(({ type }) => type === LOAD);
  const [first] = loaded;
  if (!first) throw new Error('expected a segment that is loaded, found none');
  const count = old.length + 2;
  const note = noteOf(blob);
  const offset = roundedUp(node.length, PAGE);
  // Linux before 5.18 takes the table to be as far from the first segment in memory as it is in the file.
  const address = first.address - first.offset + offset;
  if (loaded.some((segment) => segment.address + segment.sizeInMemory > address))
    throw new Error('expected free addresses behind the file');
  const table = { offset, address, sizeInFile: count * HEADER_SIZE, sizeInMemory: count * HEADER_SIZE };
  const at = roundedUp(table.sizeInFile, 16);
  const inNote = { offset: offset + at, address: address + at, sizeInFile: note.length, sizeInMemory: note.length };
  const all = { offset, address, sizeInFile: at + note.length, sizeInMemory: at + note.length };
  const segments: readonly Segment[] = [
    ...old.map((segment) => (segment.type === PHDR ? { ...segment, ...table } : segment)),
    // Loaded segments are in the order of their addresses.
    { type: LOAD, flags: READABLE, ...all, alignment: PAGE },
    { type: NOTE, flags: READABLE, ...inNote, alignment: 4 },
  ];
  const file = Buffer.alloc(offset + at + note.length);
  node.copy(file);
  burn(file);
  file.writeBigUInt64LE(BigInt(offset), 0x20);
  file.writeUInt16LE(count, 0x38);
  segments.forEach((segment, i) => writeSegment(file, offset + i * HEADER_SIZE, segment));
  note.copy(file, offset + at);
  return file;
}

/** The blob that `withBlob` put into a file, or undefined. */
export function blobIn(file: Buffer): Buffer | undefined {
  const note = segmentsOf(file)
    .filter(({ type }) => type === NOTE)
    .map(({ offset, sizeInFile }) => file.subarray(offset, offset + sizeInFile))
    .find((bytes) => bytes.toString('latin1', 12, 12 + NOTE_NAME.length) === NOTE_NAME);
  return note?.subarray(note.length - roundedUp(note.readUInt32LE(4), 4)).subarray(0, note.readUInt32LE(4));
}

function segmentsOf(file: Buffer): readonly Segment[] {
  const table = Number(file.readBigUInt64LE(0x20));
  return Array.from({ length: file.readUInt16LE(0x38) }, (_, i) => {
    const at = table + i * HEADER_SIZE;
    const [offset = 0, address = 0, , sizeInFile = 0, sizeInMemory = 0, alignment = 0] = Array.from({ length: 6 }, (__, field) =>
      Number(file.readBigUInt64LE(at + 8 + field * 8)),
    );
    return { type: file.readUInt32LE(at), flags: file.readUInt32LE(at + 4), offset, address, sizeInFile, sizeInMemory, alignment };
  });
}

function writeSegment(file: Buffer, at: number, segment: Segment): void {
  const { type, flags, offset, address, sizeInFile, sizeInMemory, alignment } = segment;
  file.writeUInt32LE(type, at);
  file.writeUInt32LE(flags, at + 4);
  // The physical address, which nothing reads, is the other one.
  [offset, address, address, sizeInFile, sizeInMemory, alignment].forEach((value, field) =>
    file.writeBigUInt64LE(BigInt(value), at + 8 + field * 8),
  );
}

function noteOf(blob: Buffer): Buffer {
  const name = Buffer.alloc(roundedUp(NOTE_NAME.length + 1, 4));
  name.write(NOTE_NAME, 'latin1');
  const header = Buffer.alloc(12);
  header.writeUInt32LE(NOTE_NAME.length + 1, 0);
  header.writeUInt32LE(blob.length, 4);
  return Buffer.concat([header, name, blob, Buffer.alloc(roundedUp(blob.length, 4) - blob.length)]);
}

function burn(file: Buffer): void {
  const at = file.indexOf(`${FUSE}0`);
  if (at === -1 || file.includes(`${FUSE}0`, at + 1)) throw new Error('expected a Node with one unused fuse');
  file.write('1', at + FUSE.length);
}

const roundedUp = (size: number, unit: number): number => Math.ceil(size / unit) * unit;
