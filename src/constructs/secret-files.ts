import { InvalidSpec } from '../api/index.ts';
import { type Mounted, mountedAt } from './user-volumes.ts';

/**
 * The directory where a container finds the keys of a Secret as files; Fluid's images look there.
 * @example
 * secretDirectory('minio'); // → '/etc/fluid/secrets/minio'
 */
export const secretDirectory = (secret: string): string => `/etc/fluid/secrets/${secret}`;

/**
 * A Secret mounted as files, at `secretDirectory` of its own name or of another's that it replaces.
 * @example
 * const { volume, mount } = secretFiles('minio', 'minio');
 * mount.mountPath; // → '/etc/fluid/secrets/minio'
 */
export function secretFiles(volume: string, secretName: string, directory: string = secretName): Mounted {
  return mountedAt(secretDirectory(directory), volumeLabel(volume), { secret: { secretName } }, { readOnly: true });
}

/**
 * A name for a volume from that of a Secret or a claim, which may be longer and have dots. Two that become equal are rejected where lists are merged.
 */
export const volumeLabel = (name: string): string => name.replaceAll('.', '-').slice(-63).replace(/^-+/, '');

/**
 * Text as the `data` of a Secret has it: UTF-8 in base64.
 * @example
 * base64('minio123'); // → 'bWluaW8xMjM='
 */
export function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const pieces: string[] = [];
  // The cast: apply takes any object with a length, and fast.
  for (let at = 0; at < bytes.length; at += PIECE)
    pieces.push(String.fromCharCode.apply(undefined, bytes.subarray(at, at + PIECE) as unknown as number[]));
  return btoa(pieces.join(''));
}
/** Fewer than the arguments that any JavaScript engine permits. */
const PIECE = 8192;

/**
 * Text from the `data` of a Secret. `path` names the field in errors, which never show the data.
 * @throws InvalidSpec when the data is not base64.
 * @example
 * fromBase64('bWluaW8xMjM='); // → 'minio123'
 */
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
