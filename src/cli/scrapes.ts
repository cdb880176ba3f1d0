import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';

/** For so long one scrape answers all who ask. */
const KEPT_MS = 1_000;
/** Scrapes in memory at once: a client that reads slowly keeps one. While there are so many, the newest answers. */
const MOST_KEPT = 4;
/** The fastest level makes the text of thousands of Datasets ten times smaller. */
const LEVEL = 1;
const CHUNK = 1 << 16;

interface Scrape {
  readonly packed: Promise<Buffer>;
  /** Absent while the scrape is being made. */
  endedAt?: number;
  readers: number;
}

/** Answers to `/metrics`. */
export interface Scrapes {
  answer(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * One scrape is made at a time, and one a second, however many ask: any pod may. In memory is its compressed text alone, which is unpacked
 * for clients that do not accept it so, as fast as each of them reads.
 *
 * @param text the metrics, in chunks that are made as fast as they are taken
 */
export function createScrapes(contentType: string, text: () => AsyncIterable<string>): Scrapes {
  const kept = new Set<Scrape>();
  let newest: Scrape | undefined;

  function current(): Scrape {
    if (newest && (newest.endedAt === undefined || performance.now() - newest.endedAt < KEPT_MS || kept.size >= MOST_KEPT)) return newest;
    const scrape: Scrape = { packed: packed(text()), readers: 0 };
    const ended = (): void => {
      scrape.endedAt = performance.now();
      setTimeout(() => tidy(scrape), KEPT_MS).unref();
    };
    scrape.packed.then(ended, ended);
    kept.add(scrape);
    newest = scrape;
    return scrape;
  }
  /** Drops a scrape that is not read any more, and too old to be read again. */
  function tidy(scrape: Scrape): void {
    const isFresh = scrape.endedAt === undefined || performance.now() - scrape.endedAt < KEPT_MS;
    if (scrape.readers > 0 || (isFresh && scrape === newest)) return;
    kept.delete(scrape);
    if (scrape === newest) newest = undefined;
  }

  async function answerWith(scrape: Scrape, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = { 'content-type': contentType, vary: 'accept-encoding' };
    try {
      const body = await scrape.packed;
      if (acceptsGzip(request.headers['accept-encoding']))
        response.writeHead(200, { ...headers, 'content-encoding': 'gzip', 'content-length': body.length }).end(body);
      // An error means that the client has closed the connection.
      else pipeline(Readable.from([body]), createGunzip({ chunkSize: CHUNK }), response.writeHead(200, headers), () => {});
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  return {
    answer(request, response) {
      const scrape = current();
      scrape.readers++;
      response.once('close', () => {
        scrape.readers--;
        tidy(scrape);
      });
      void answerWith(scrape, request, response);
    },
  };
}

/** Whether an `Accept-Encoding` has gzip, and not with the weight 0. */
const acceptsGzip = (header: string | readonly string[] | undefined): boolean =>
  String(header ?? '')
    .split(',')
    .some((each) => {
      const [coding = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
      return (coding === 'gzip' || coding === '*') && !parameters.some((part) => part.startsWith('q=') && Number(part.slice(2)) === 0);
    });

async function packed(text: AsyncIterable<string>): Promise<Buffer> {
  const packer = createGzip({ level: LEVEL, chunkSize: CHUNK });
  const chunks: Buffer[] = [];
  packer.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(packer, 'end');
  for await (const chunk of text) if (!packer.write(chunk)) await once(packer, 'drain');
  packer.end();
  await ended;
  return Buffer.concat(chunks);
}
