import { InvalidSpec } from '../api/index.ts';
import type { Mounted } from './user-volumes.ts';

/** Where a container finds the keys of a Secret as files. */
export const secretDirectory = (secret: string): string => `/etc/fluid/secrets/${secret}`;

/** A Secret as files, in its own directory or in that of the one it stands in for. */
export function secretFiles(volume: string, secretName: string, directory: string = secretName): Mounted {
  const name = volumeLabel(volume);
  return { volume: { name, secret: { secretName } }, mount: { name, mountPath: secretDirectory(directory), readOnly: true } };
}

/** Secrets and claims may have names that no volume can have, longer and with dots. Two that become alike are refused where lists are merged. */
export const volumeLabel = (name: string): string => name.replaceAll('.', '-').slice(-63).replace(/^-+/, '');

/** Text as it stands in the `data` of a Secret. */
export function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const pieces: string[] = [];
  // The cast: apply takes whatever has a length, and fast.
  for (let at = 0; at < bytes.length; at += PIECE)
    pieces.push(String.fromCharCode.apply(undefined, bytes.subarray(at, at + PIECE) as unknown as number[]));
  return btoa(pieces.join(''));
}
/** As many arguments as a function can have with room to spare. */
const PIECE = 8192;

/** Throws InvalidSpec where the data is no base64; `path` says whose it is. */
export function fromBase64(data: string, path = 'data'): string {
  let binary: string;
  try {
    binary = atob(data);
  } catch {
    // Not shown: it may be the secret itself.
    throw new InvalidSpec({ path, expected: 'base64, as in the data of a Secret (stringData takes plain text)', found: 'something else' });
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return new TextDecoder().decode(bytes);
}
