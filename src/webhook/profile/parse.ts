import { parseDocument } from 'yaml';
import { nearest } from '../../api/index.ts';
import type { Mutation, MutationPlugin } from '../admission.ts';
import type { Profile } from '../profile.ts';
import { record } from '../shapes.ts';
import { fieldsOf, itemsOf, unexpected } from './fields.ts';

/** Characters; a profile has about a thousand. */
const LONGEST = 64 * 1024;

/**
 * The chains of a profile in Fluid's format: the key `pluginsProfile` of the ConfigMap `webhook-plugins`.
 * @throws Error with the place, what was expected and what was found
 */
export function parseProfile(text: string, plugins: readonly MutationPlugin[]): Profile {
  const root = fieldsOf(yamlOf(text, 'pluginsProfile'), 'pluginsProfile', ['plugins', 'pluginConfig']);
  const args = argsOf(root.pluginConfig, plugins);
  const configured = new Map(plugins.map((plugin) => [plugin.name, mutationOf(plugin, args.get(plugin.name))]));
  const chain = (value: unknown, where: string): readonly Mutation[] =>
    // The cast: each plugin is configured.
    itemsOf(value, where).map(([name, at]) => configured.get(named(name, plugins, at).name) as Mutation);
  const chainsOf = (value: unknown, where: string): Profile['serverful'] => {
    const { withDataset, withoutDataset } = fieldsOf(value, where, ['withDataset', 'withoutDataset']);
    return { withDataset: chain(withDataset, `${where}.withDataset`), withoutDataset: chain(withoutDataset, `${where}.withoutDataset`) };
  };
  const { serverful, serverless } = fieldsOf(root.plugins, 'plugins', ['serverful', 'serverless']);
  const chains = { serverful: chainsOf(serverful, 'plugins.serverful'), serverless: chainsOf(serverless, 'plugins.serverless') };
  for (const { name } of plugins.filter(({ givesSidecars }) => givesSidecars)) {
    // The cast: it is configured.
    if (!chains.serverless.withDataset.includes(configured.get(name) as Mutation))
      throw unexpected(
        'plugins.serverless.withDataset',
        `${name}, without which pods that ask for sidecars would start without them`,
        record(serverless)['withDataset'],
      );
  }
  return chains;
}

interface Args {
  readonly where: string;
  readonly value: unknown;
}

/** By the name of the plugin. */
function argsOf(config: unknown, plugins: readonly MutationPlugin[]): ReadonlyMap<string, Args> {
  const found = new Map<string, Args>();
  for (const [item, where] of itemsOf(config, 'pluginConfig')) {
    const { name, args } = fieldsOf(item, where, ['name', 'args']);
    const plugin = named(name, plugins, `${where}.name`);
    if (found.has(plugin.name)) throw unexpected(`${where}.name`, 'one entry for each plugin', plugin.name);
    if (args !== undefined && args !== null && typeof args !== 'string')
      throw unexpected(`${where}.args`, 'YAML as a text (args: |)', args);
    found.set(plugin.name, { where, value: typeof args === 'string' ? yamlOf(args, `${where}.args`) : undefined });
  }
  return found;
}

function mutationOf(plugin: MutationPlugin, args: Args | undefined): Mutation {
  try {
    return plugin.configure(args?.value);
  } catch (error) {
    if (args && error instanceof Error) throw new Error(`${args.where}.${error.message}`, { cause: error });
    throw error;
  }
}

function named(name: unknown, plugins: readonly MutationPlugin[], where: string): MutationPlugin {
  const plugin = plugins.find((each) => each.name === name);
  if (plugin) return plugin;
  const names = plugins.map((each) => each.name);
  const near = typeof name === 'string' ? nearest(name, names) : undefined;
  throw unexpected(where, near === undefined ? `one of ${names.join(', ')}` : `a known plugin (did you mean ${near}?)`, name);
}

function yamlOf(text: string, where: string): unknown {
  if (text.length > LONGEST) throw new Error(`${where}: expected at most ${LONGEST} characters, found ${text.length}`);
  try {
    const document = parseDocument(text, { logLevel: 'silent' });
    const [error] = document.errors;
    if (error) throw error;
    // A profile has no use for aliases, by which a small text becomes a large value.
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch (error) {
    const [first = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new Error(`${where}: expected YAML without aliases, found a fault: ${first.replace(/:$/, '')}`, { cause: error });
  }
}
