import type { MountTemplate } from '../api/mount-template.ts';
import { redactedText } from '../api/redact.ts';
import { referencesIn } from '../api/template-text.ts';
import type { FuseConfig, FuseMount } from './config.ts';

/**
 * config.json as typed values, in JSON, for people. Options may be secrets: with Secret storage nothing in the file says which. So one is
 * shown only if the template refers to it as plain, if its value is the path of a secret's file, or if `showOptions` is true. So are options
 * of the runtime, and attributes of volumes. Of all other texts, credentials are left out that a mount point or a mount option shows.
 * @example
 * const config = parseFuseConfig('{"mounts": [{"mountPoint": "s3://b", "options": {"token": "abc"}}], "targetPath": "/mnt"}');
 * viewOf(config, undefined, false).includes('abc'); // → false
 */
export function viewOf(config: FuseConfig, template: MountTemplate | undefined, showOptions: boolean): string {
  const references = referencesIn(template);
  const keys = (name: string) => new Set(references.filter((each) => each.name === name).map(({ key }) => key));
  const secret = new Set<string | undefined>([...config.secretOptions, ...keys('secret'), ...keys('secretFile')]);
  const shown = (options: Readonly<Record<string, string>>, plain: ReadonlySet<string | undefined>) =>
    Object.fromEntries(
      Object.entries(options).map(([name, value]) => {
        if (value.startsWith('/etc/fluid/secrets/')) return [name, { file: value }];
        return [name, !secret.has(name) && (showOptions || (plain.has(name) && !looksSecret(name, value))) ? value : { hidden: true }];
      }),
    );
  const view = {
    ...config,
    mounts: config.mounts.map((mount) => ({ ...mount, ...whence(mount), options: shown(mount.options, keys('mount.options')) })),
    runtimeOptions: shown(config.runtimeOptions, keys('runtime.options')),
    persistentVolumes: Object.fromEntries(
      Object.entries(config.persistentVolumes).map(([claim, { csi, mountOptions }]) => [
        claim,
        {
          ...(csi && {
            csi: {
              ...csi,
              volumeHandle: redactedText(csi.volumeHandle),
              volumeAttributes: shown(csi.volumeAttributes, keys('volume.attributes')),
            },
          }),
          mountOptions: mountOptions.map(redactedText),
        },
      ]),
    ),
  };
  return `${JSON.stringify(view, null, 2)}\n`;
}

const looksSecret = (name: string, value: string): boolean => redactedText(`${name}=${value}`) !== `${name}=${value}`;

/** A mount point without the password that it may have; of one without a scheme, only what a colon and an @ show to be one. */
function whence({ mountPoint, scheme }: FuseMount): Pick<FuseMount, 'mountPoint' | 'source'> {
  if (scheme !== undefined) {
    const redacted = redactedText(mountPoint);
    return { mountPoint: redacted, source: redacted.slice(`${scheme}://`.length) };
  }
  const redacted = redactedText(`//${mountPoint}`).slice(2);
  return { mountPoint: redacted, source: redacted };
}
