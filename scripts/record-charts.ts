/**
 * `npx node scripts/record-charts.ts CHECKOUT`: records the objects that each 1.0.x of Fluid's chart installs, reduced to kinds, names,
 * labels, selectors and settings: test/takeover/charts.json. CHECKOUT is a checkout of Fluid's repository that has these tags.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { buildFluid } from '../harness/fluid/build.ts';
import type { KubeObject } from '../src/kube/types.ts';

function objectsOf(tag: string): readonly KubeObject[] {
  const at = join(scratch, tag);
  mkdirSync(at);
  execFileSync('tar', ['-x', '-C', at], { input: git('archive', tag, 'charts/fluid/fluid') });
  const chart = join(at, 'charts/fluid/fluid');
  const helm = join(bin, 'ddc-helm');
  // Every controller, so that each has its Deployment.
  const all = ['alluxio', 'jindo', 'juicefs', 'thin', 'efc', 'vineyard', 'cache', 'goosefs'].map((name) => `runtime.${name}.enabled=true`);
  const flags = ['--include-crds', '--namespace', 'fluid-system', '--set', all.join()];
  const text = execFileSync(helm, ['template', 'fluid', chart, ...flags], { maxBuffer: 64 << 20, env: { ...process.env, HOME: at } });
  // With the version in it no object would be the same as in another one.
  const same = text.toString().replaceAll(/\bv?1\.0\.\d+-[0-9a-f]{7}\b/g, '<tag>');
  return parseAllDocuments(same).flatMap((document) => reduced(document.toJS() as KubeObject | null) ?? []);
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
type Fields = Readonly<Record<string, unknown>>;
const pick = (of: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]]])));

/** Objects of hooks are gone once helm has ended. */
function reduced(object: KubeObject | null): KubeObject | undefined {
  if (object === null || object.metadata.annotations?.['helm.sh/hook'] !== undefined) return undefined;
  const { apiVersion, kind, metadata, ...content } = object;
  const head = { apiVersion, kind, metadata: pick(metadata as Fields, 'name', 'namespace', 'labels') as unknown as KubeObject['metadata'] };
  const kept = KEPT[kind];
  // No step of a take-over reads more than a hash of the rest.
  return kept ? { ...head, ...kept(content) } : { ...head, content: hashOf(content) };
}

const workload = ({ spec }: Fields): Fields => {
  const { replicas, selector, template } = spec as { replicas?: number; selector: unknown; template: { metadata: Fields; spec: Fields } };
  const containers = (template.spec['containers'] as readonly Fields[]).map((each) =>
    pick(each, 'name', 'image', 'command', 'args', 'env', 'ports'),
  );
  const pod = {
    metadata: pick(template.metadata, 'labels'),
    spec: { ...pick(template.spec, 'serviceAccountName', 'tolerations', 'nodeSelector'), containers },
  };
  return { spec: { ...(replicas !== undefined && { replicas }), selector, template: pod } };
};
const KEPT: Readonly<Record<string, (content: Fields) => Fields>> = {
  Deployment: workload,
  DaemonSet: workload,
  Service: (content) => pick(content, 'spec'),
  CSIDriver: (content) => pick(content, 'spec'),
  ClusterRoleBinding: (content) => pick(content, 'subjects', 'roleRef'),
  MutatingWebhookConfiguration: ({ webhooks }) => ({
    webhooks: (webhooks as readonly Fields[]).map((each) => pick(each, 'name', 'clientConfig', 'failurePolicy')),
  }),
  CustomResourceDefinition: ({ spec }) => {
    const { group, names, versions } = spec as { group: string; names: Fields; versions: readonly Fields[] };
    return { spec: { group, names: pick(names, 'kind', 'plural'), versions: versions.map((each) => pick(each, 'name')) } };
  },
};

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('expected a checkout of Fluid: npx node scripts/record-charts.ts CHECKOUT');
const folder = resolve(checkout);
const { bin } = await buildFluid(folder, console.log);
const git = (...args: readonly string[]) => execFileSync('git', ['-C', folder, ...args], { maxBuffer: 64 << 20 });
const scratch = mkdtempSync(join(tmpdir(), 'sluice-charts-'));
try {
  const tags = git('tag', '--list', 'v1.0.*').toString().trim().split('\n');
  // Most objects are the same in most versions.
  const objects: Record<string, KubeObject> = {};
  const versions: Record<string, readonly string[]> = {};
  for (const tag of tags)
    versions[tag.slice(1)] = objectsOf(tag).map((object) => {
      const hash = hashOf(object);
      objects[hash] = object;
      return hash;
    });
  writeFileSync(join(import.meta.dirname, '../test/takeover/charts.json'), `${JSON.stringify({ versions, objects }, null, 1)}\n`);
  console.log(`${tags.length} versions, ${Object.keys(objects).length} objects`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
