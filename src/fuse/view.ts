import type { MountTemplate } from '../api/mount-template.ts';
import { referencesIn } from '../api/template-text.ts';
import type { FuseConfig } from './config.ts';

/**
 * config.json as typed values, in JSON, for people. Options may be secrets: with Secret storage nothing in the file says which. So one is
 * shown only if the template refers to it as plain, if its value is the path of a secret's file, or if `showOptions` is true.
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
        return [name, !secret.has(name) && (showOptions || plain.has(name)) ? value : { hidden: true }];
      }),
    );
  const view = {
    ...config,
    mounts: config.mounts.map((mount) => ({ ...mount, options: shown(mount.options, keys('mount.options')) })),
  };
  return `${JSON.stringify(view, null, 2)}\n`;
}
