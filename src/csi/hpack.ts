/** Header compression of HTTP/2 (RFC 7541): what a peer has sent is read with it, what we send needs none. */

export type Headers = Readonly<Record<string, string>>;
type Entry = readonly [name: string, value: string];

/**
 * How many bits the code of each byte has, as a letter: A is 0, a is 26. Codes of one length follow one another in the order of their bytes,
 * shorter ones come first (appendix B).
 */
const LENGTHS =
  'NXcccccccYecceccccccccecccccccccGKKMNGILKKILIGGGFFFGGGGGGGHIPGMKNGHHHHHHHHHHHHHHHHHHHHHHIHINTNOGPFGFGFGGGFHHGGGFGHGFFGHHHHHPLONcUWUUWWWXWXXXXXYXYYWXYXXXXVWXWXXYWVUWWXXVXWWYVWXXVVWVXWXXUWWWXWWXaaUTWXWZaaabbaYZTVabbabYVVaacbbbUYUVWVVXWWZZYYaXabaabbbbbcbbbbba';
const bitsOf = (letter: string): number => letter.charCodeAt(0) - (letter >= 'a' ? 97 - 26 : 65);

/** Appendix A, from 1 on. */
const FIXED: readonly Entry[] =
  ':authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|:status=200|:status=204|:status=206|:status=304|:status=400|:status=404|:status=500|accept-charset|accept-encoding=gzip, deflate|accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate'
    .split('|')
    .map((entry) => {
      const [name = '', value = ''] = entry.split('=');
      return [name, value];
    });

/** By length: the first code, and the bytes whose codes follow from there. */
const CODES: readonly { readonly first: number; readonly bytes: readonly number[] }[] = (() => {
  const letters = [...LENGTHS];
  let next = 0;
  return Array.from({ length: 31 }, (_, bits) => {
    const first = next * 2;
    const bytes = letters.flatMap((letter, byte) => (bitsOf(letter) === bits ? [byte] : []));
    next = first + bytes.length;
    return { first, bytes };
  });
})();

function decoded(text: Buffer): Buffer {
  const bytes: number[] = [];
  let [code, bits] = [0, 0];
  for (const byte of text)
    for (let mask = 128; mask > 0; mask >>= 1) {
      code = code * 2 + (byte & mask ? 1 : 0);
      bits++;
      const known = CODES[bits];
      if (!known) throw new Error('HPACK: no such code');
      const found = known.bytes[code - known.first];
      if (found === undefined) continue;
      bytes.push(found);
      code = bits = 0;
    }
  // The last byte is filled up with ones.
  if (bits > 7 || code !== 2 ** bits - 1) throw new Error('HPACK: a code is cut short');
  return Buffer.from(bytes);
}

/** As large as a peer takes it to be that was told nothing else. */
const MOST = 4096;
const sizeOf = ([name, value]: Entry): number => name.length + value.length + 32;

/** Reads the header blocks of a connection, which have to be given in order: each builds on those before. @throws Error */
export function headerReader(): (block: Buffer) => Headers {
  const kept: Entry[] = [];
  let size = 0;
  let most = MOST;

  function evict(): void {
    while (size > most) size -= sizeOf(kept.pop() as Entry);
  }

  function entry(index: number): Entry {
    const found = index <= FIXED.length ? FIXED[index - 1] : kept[index - FIXED.length - 1];
    if (!found) throw new Error(`HPACK: no entry ${index}`);
    return found;
  }

  return (block) => {
    const headers: Record<string, string> = Object.create(null) as Record<string, string>;
    let at = 0;

    function integer(bits: number): number {
      const mask = 2 ** bits - 1;
      if (at >= block.length) throw new Error('HPACK: cut short');
      let value = (block[at++] ?? 0) & mask;
      if (value < mask) return value;
      for (let shift = 0; shift <= 21; shift += 7) {
        const byte = block[at++];
        if (byte === undefined) break;
        value += (byte & 127) << shift;
        if (byte < 128) return value;
      }
      throw new Error('HPACK: no number');
    }

    function text(): string {
      const isCoded = ((block[at] ?? 0) & 128) !== 0;
      const length = integer(7);
      const bytes = block.subarray(at, at + length);
      if (bytes.length < length) throw new Error('HPACK: a text is cut short');
      at += length;
      return (isCoded ? decoded(bytes) : bytes).toString('latin1');
    }

    while (at < block.length) {
      const first = block[at] ?? 0;
      if (first >= 128) {
        const [name, value] = entry(integer(7));
        headers[name] = value;
      } else if (first >= 32 && first < 64) {
        most = integer(5);
        if (most > MOST) throw new Error('HPACK: a larger table than was agreed');
        evict();
      } else {
        const isKept = first >= 64;
        const index = integer(isKept ? 6 : 4);
        const pair: Entry = [index === 0 ? text() : entry(index)[0], text()];
        headers[pair[0]] = pair[1];
        if (!isKept) continue;
        kept.unshift(pair);
        size += sizeOf(pair);
        evict();
      }
    }
    return headers;
  };
}

/** A header block that is read without a table, and adds nothing to one. */
export function headerBlock(headers: Headers): Buffer {
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [
      Buffer.from([0]),
      length(name),
      Buffer.from(name),
      length(value),
      Buffer.from(value, 'latin1'),
    ]),
  );
}

function length({ length: left }: string): Buffer {
  if (left < 127) return Buffer.from([left]);
  const bytes = [127];
  for (left -= 127; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}
