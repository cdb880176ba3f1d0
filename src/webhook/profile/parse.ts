import { parseDocument } from 'yaml';
import { nearest } from '../../api/index.ts';
import type { Mutation, Plugin } from '../admission.ts';
import type { Profile } from '../profile.ts';
import { list, record } from '../shapes.ts';

/** Characters; a profile has some hundred. */
const LONGEST = 64 * 1024;

/**
 * The chains of a profile in Fluid's format, the key `pluginsProfile` of the ConfigMap `webhook-plugins`.
 * @throws Error that says where, what was expected and what was found
 */
export function parseProfile(text: string, plugins: readonly Plugin[]): Profile {
  const root = record(yamlOf(text, 'pluginsProfile'));
  const args = argsOf(root['pluginConfig'], plugins);
  const chains = record(root['plugins']);
  const chain = (kind: 'serverful' | 'serverless', which: 'withDataset' | 'withoutDataset'): readonly Mutation[] =>
    list(record(chains[kind])[which]).map((name, i) => {
      const plugin = named(name, plugins, `plugins.${kind}.${which}[${i}]`);
      return plugin.configure(args.get(plugin.name));
    });
  return {
    serverful: { withDataset: chain('serverful', 'withDataset'), withoutDataset: chain('serverful', 'withoutDataset') },
    serverless: { withDataset: chain('serverless', 'withDataset'), withoutDataset: chain('serverless', 'withoutDataset') },
  };
}

function argsOf(config: unknown, plugins: readonly Plugin[]): ReadonlyMap<string, unknown> {
  return new Map(
    list(config).map((each, i) => {
      const { name, args } = record(each);
      const where = `pluginConfig[${i}]`;
      return [named(name, plugins, `${where}.name`).name, typeof args === 'string' ? yamlOf(args, `${where}.args`) : args];
    }),
  );
}

function named(name: unknown, plugins: readonly Plugin[], where: string): Plugin {
  const plugin = plugins.find((each) => each.name === name);
  if (plugin) return plugin;
  const names = plugins.map((each) => each.name);
  const near = typeof name === 'string' ? nearest(name, names) : undefined;
  throw new Error(
    `${where}: expected ${near === undefined ? `one of ${names.join(', ')}` : `a plugin (did you mean ${near}?)`}, found ${JSON.stringify(name)}`,
  );
}

function yamlOf(text: string, where: string): unknown {
  if (text.length > LONGEST) throw new Error(`${where}: expected at most ${LONGEST} characters, found ${text.length}`);
  const document = parseDocument(text, { logLevel: 'silent' });
  const [error] = document.errors;
  if (error) throw new Error(`${where}: expected YAML, found: ${error.message.split('\n')[0]}`);
  return document.toJS({ maxAliasCount: 0 }) as unknown;
}
