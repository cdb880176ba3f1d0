import type { MountTemplate } from '../api/mount-template.ts';
import { referencesIn } from '../api/template-text.ts';
import type { FuseConfig } from './config.ts';

/**
 * config.json as typed values, in JSON. With Secret storage nothing in the file says which options are secret, so an option is shown only
 * if a template refers to it as a plain one, if it is the path of a secret's file, or if it was asked for.
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
