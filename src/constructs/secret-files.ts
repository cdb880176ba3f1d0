import type { Mounted } from './user-volumes.ts';

/** Where a container finds the keys of a Secret as files. */
export const secretDirectory = (secret: string): string => `/etc/fluid/secrets/${secret}`;

/** A Secret as files, in its own directory or in that of the one it stands in for. */
export function secretFiles(volume: string, secretName: string, directory: string = secretName): Mounted {
  const name = volumeLabel(volume);
  return { volume: { name, secret: { secretName } }, mount: { name, mountPath: secretDirectory(directory), readOnly: true } };
}

/** Secrets may have names that no volume can have, longer and with dots. Two that become alike are refused where lists are merged. */
const volumeLabel = (name: string): string => name.replaceAll('.', '-').slice(-63).replace(/^-+/, '');

/** Text as it stands in the `data` of a Secret. */
export const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
export const fromBase64 = (data: string): string => new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
