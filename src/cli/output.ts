import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { Option } from 'commander';
import type { Manifest } from '../api/index.ts';
import { standardOutput, visible } from './terminal.ts';
import { yamlText } from './yaml-text.ts';

export type OutputFormat = 'yaml' | 'json';

export const outputOption = (): Option => new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml');

/** Prints manifests as input for `kubectl apply -f -`: documents, or one List as kubectl prints it. */
export async function print(manifests: readonly Manifest[], format: OutputFormat): Promise<void> {
  const output = createOutput(format);
  output.add(manifests);
  await output.write();
}

export interface Output {
  add(manifests: readonly Manifest[]): void;
  /** Writes everything, as fast as the reader takes it. */
  write(to?: Writable): Promise<void>;
}

/** Texts that are compressed together. */
const CHUNK = 1 << 18;

/**
 * Output that is written once everything is known to be right: a reader of faulty input gets nothing. Until then it is kept compressed, in
 * a thirtieth of its size, since manifests are alike.
 */
export function createOutput(format: OutputFormat): Output {
  const { first, between, last, textOf } = STYLES[format];
  const chunks: Buffer[] = [];
  let [text, isEmpty] = ['', true];
  return {
    add(manifests) {
      for (const manifest of manifests) {
        text += (isEmpty ? first : between) + textOf(manifest);
        isEmpty = false;
      }
      if (text.length < CHUNK) return;
      chunks.push(zstdCompressSync(text));
      text = '';
    },
    async write(to = standardOutput()) {
      for (const chunk of chunks) if (!to.write(zstdDecompressSync(chunk, { chunkSize: 2 * CHUNK }))) await once(to, 'drain');
      to.write(text + (isEmpty ? first.trimEnd() : '') + last(isEmpty));
    },
  };
}

const STYLES = {
  yaml: { first: '', between: '---\n', last: () => '', textOf: yamlText },
  json: {
    first: '{\n  "apiVersion": "v1",\n  "kind": "List",\n  "items": [\n',
    between: ',\n',
    last: (isEmpty: boolean) => (isEmpty ? ']\n}\n' : '\n  ]\n}\n'),
    // As deep as it will stand.
    textOf: (manifest: Manifest) => visible(JSON.stringify([[manifest]], null, 2).slice('[\n  [\n'.length, -'\n  ]\n]'.length)),
  },
};
