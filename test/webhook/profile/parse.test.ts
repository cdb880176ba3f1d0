import { describe, expect, test } from 'vitest';
import type { Admission, MutationPlugin } from '../../../src/webhook/admission.ts';
import { plugins } from '../../../src/webhook/plugins/index.ts';
import { withoutArguments } from '../../../src/webhook/plugins/arguments.ts';
import { type Pod, withLabels } from '../../../src/webhook/pod.ts';
import { defaultProfile } from '../../../src/webhook/profile/default-profile.ts';
import { parseProfile } from '../../../src/webhook/profile/parse.ts';

/** Writes down that it ran, and with what. */
const noting = (name: string): MutationPlugin => ({
  name,
  configure: (args) => (pod) => withLabels(pod, { ran: `${pod.metadata.labels?.['ran'] ?? ''}${name}(${JSON.stringify(args) ?? ''})` }),
});
const strict: MutationPlugin = { name: 'Strict', configure: withoutArguments((pod) => pod) };
const known = [noting('First'), noting('Second'), strict];
const pod: Pod = { metadata: {}, spec: { containers: [] } };
// The cast: these plugins look at nothing.
const admission = {} as Admission;
const ran = (text: string) =>
  parseProfile(text, known).serverful.withDataset.reduce((each, plugin) => plugin(each, admission), pod).metadata.labels?.['ran'];

describe('a profile', () => {
  test('has chains of plugins in order, each with its arguments', () => {
    expect(
      ran(`
plugins: { serverful: { withDataset: [Second, First] } }
pluginConfig:
- name: First
  args: |
    a: [1]
`),
    ).toBe('Second()First({"a":[1]})');
  });
  test('that says nothing has empty chains', () => {
    const empty = { withDataset: [], withoutDataset: [] };
    expect(parseProfile('', known)).toEqual({ serverful: empty, serverless: empty });
  });
  test('of a new installation uses every plugin', () => {
    const names = plugins.map(({ name }) => name).toSorted();
    expect([...new Set(defaultProfile.match(/(?<=- )[A-Z]\w+$/gm))].toSorted()).toEqual(names);
    expect(parseProfile(defaultProfile, plugins).serverful.withoutDataset).toHaveLength(1);
  });
});

describe('a profile without sidecars for pods that ask for them', () => {
  const sidecars: MutationPlugin = { ...noting('Sidecars'), givesSidecars: true };
  const expected = 'plugins.serverless.withDataset: expected Sidecars, without which pods that ask for sidecars would start without them';
  test.each([
    ['', 'nothing'],
    ['plugins: { serverless: { withDataset: [First], withoutDataset: [Sidecars] } }', '["First"]'],
  ])('has a fault: %j', (text, found) => {
    expect(() => parseProfile(text, [...known, sidecars])).toThrow(`${expected}, found ${found}`);
  });
  test('has none with them', () => {
    const text = 'plugins: { serverless: { withDataset: [First, Sidecars] } }';
    expect(parseProfile(text, [...known, sidecars]).serverless.withDataset).toHaveLength(2);
  });
});

describe('a fault in a profile is reported with its place:', () => {
  test.each([
    [
      'an unknown plugin',
      'plugins: { serverful: { withDataset: [Firsd] } }',
      'plugins.serverful.withDataset[0]: expected a known plugin (did you mean First?), found "Firsd"',
    ],
    [
      'a plugin like no other',
      'plugins: { serverless: { withoutDataset: [Quite, Different] } }',
      'plugins.serverless.withoutDataset[0]: expected one of First, Second, Strict, found "Quite"',
    ],
    [
      'an unknown field',
      'plugins: { serverful: { withDatasets: [] } }',
      'plugins.serverful.withDatasets: expected a known field (did you mean withDataset?), found "withDatasets"',
    ],
    [
      'an unknown field with a name that fills the log',
      `plugins: { ${'a'.repeat(60_000)}: 1 }`,
      `plugins.${'a'.repeat(100)}…: expected a known field (serverful, serverless), found "${'a'.repeat(99)}…`,
    ],
    ['no list', 'plugins: { serverful: { withDataset: First } }', 'plugins.serverful.withDataset: expected a list, found "First"'],
    ['no object', 'plugins: []', 'plugins: expected the fields serverful and serverless, found []'],
    [
      'arguments that are no text',
      'pluginConfig: [{ name: First, args: { a: 1 } }]',
      'pluginConfig[0].args: expected YAML as a text (args: |), found {"a":1}',
    ],
    [
      'arguments that the plugin refuses',
      'pluginConfig: [{ name: First }, { name: Strict, args: "a: 1" }]',
      'pluginConfig[1].args: expected none, found {"a":1}',
    ],
    [
      'two entries for one plugin',
      'pluginConfig: [{ name: First }, { name: First }]',
      'pluginConfig[1].name: expected one entry for each plugin, found "First"',
    ],
    ['bad YAML', 'plugins: [', 'pluginsProfile: expected YAML without aliases, found a fault: Flow sequence'],
    [
      'bad YAML in arguments',
      'pluginConfig: [{ name: First, args: "a: [" }]',
      'pluginConfig[0].args: expected YAML without aliases, found a fault',
    ],
    ['aliases', 'plugins: &a { serverful: {} }\npluginConfig: *a', 'pluginsProfile: expected YAML without aliases, found a fault'],
    ['lists without end', '['.repeat(60_000), 'pluginsProfile: expected YAML without aliases, found a fault'],
    ['a text of many megabytes', 'a'.repeat(70_000), 'pluginsProfile: expected at most 65536 characters, found 70000'],
  ])('%s', (_, text, message) => {
    expect(() => parseProfile(text, known)).toThrow(message);
  });
});
