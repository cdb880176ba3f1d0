/** docs/thin-runtime.md as far as it can be known without a cluster; test/node/thin.test.ts does the rest. */
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import thin from '../../../runtimes/thin/index.ts';
import type { ThinPlan } from '../../../runtimes/thin/plan.ts';
import { Dataset, parse, ThinRuntime, ThinRuntimeProfile } from '../../../src/api/index.ts';
import { parseMountTemplate } from '../../../src/api/mount-template.ts';
import { clientsOf, mountScript, parseFuseConfig } from '../../../src/fuse/index.ts';
import { planInput } from '../../../src/testing/given.ts';
import { blocksOf } from '../../support/page.ts';

const blocks = blocksOf('docs/thin-runtime.md');
interface Read {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}
const objects = blocks
  .filter(({ language, file }) => language === 'yaml' && file)
  .flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS() as Read))
  .filter(({ kind }) => kind);
const named = (kind: string, name: string) => objects.find((object) => object.kind === kind && object.metadata.name === name) as never;
const texts = blocks.filter(({ language }) => language === 'text').map(({ text }) => text);
const configs = blocks.filter(({ language }) => language === 'json').map(({ text }) => text.trimEnd());

function planned(name: string): ThinPlan {
  const { spec } = parse(ThinRuntime, named('ThinRuntime', name));
  const profile = parse(ThinRuntimeProfile, named('ThinRuntimeProfile', spec.profileName ?? ''));
  const { spec: dataset } = parse(Dataset, named('Dataset', name));
  const facts = { objects: { [`ThinRuntimeProfile/${profile.metadata.name}`]: profile } };
  const bound = thin.bind(planInput({ name, namespace: 'default', spec, dataset, facts, settings: { image: 'example.io/sluice:v1' } }));
  for (const part of ['fuse', 'volume', 'claim'] as const) expect(bound.synth(part).length).toBeGreaterThan(0);
  return bound.plan as ThinPlan;
}

describe('the page on ThinRuntimes', () => {
  test('shows the script as it is', () => {
    const { data } = planned('minio-demo').config;
    const [template = '', config = ''] = [data['mount-template.yaml'], data['config.json']];
    const { text } = mountScript(clientsOf(parseMountTemplate(template), parseFuseConfig(config)));
    const shown = texts.find((each) => each.startsWith('export ')) ?? 'nothing';
    expect(text.slice(-shown.length)).toBe(shown);
  });
  test('shows config.json as it is', () => expect(configs).toContain(planned('minio-script').config.data['config.json']));
  test('has no object of ours that does not parse', () => {
    const resources = { Dataset, ThinRuntime, ThinRuntimeProfile };
    const ours = objects.filter(({ kind }) => Object.hasOwn(resources, kind));
    expect(ours.length).toBe(8);
    // Objects that were found to be of our kinds.
    for (const object of ours) parse(resources[object.kind as keyof typeof resources], object as never);
  });
  test('has no template that is not right', () => {
    const templates = blocks.filter(({ language, text }) => language === 'yaml' && /^program: /m.test(text) && !/^kind: /m.test(text));
    expect(templates.map(({ text }) => parseMountTemplate(text).program)).toEqual(['client', 's3fs']);
  });
});
