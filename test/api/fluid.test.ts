import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { resources } from '../../runtimes/_resources.gen.ts';
import { crdOf } from '../../src/api/crd.ts';
import type { CustomResource, Structural } from '../../src/api/resource.ts';
import { GOLDENS, hasGoldens } from '../upstream/cases.ts';
import { type Addition, additions, losses } from './additions.ts';

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: unknown;
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
      readonly subresources?: unknown;
      readonly additionalPrinterColumns?: unknown;
      readonly schema: { readonly openAPIV3Schema: Structural };
    }[];
  };
}

describe.skipIf(!hasGoldens)("against Fluid's CRDs", () => {
  const seen = new Set<Addition>();
  const gone = new Set<string>();

  test.each(resources.map((resource) => [resource.kind, resource] as const))('%s keeps everything', (_, resource) => {
    const { ours, theirs } = both(resource);
    const shown = allowed(resource, 'subresources.scale', seen) ? withoutScale(ours) : ours;
    expect(frame(shown)).toEqual(withSelector(resource, frame(theirs)));
    const [mine, fluids] = [facts(ours), facts(theirs)];
    const kept = Object.fromEntries(Object.keys(fluids).map((path) => [path, mine[path]]));
    // The default has the number of workers, so that `kubectl scale` and autoscalers always find one.
    if (resource.plural === 'cacheruntimes') kept['spec.worker'] = fluids['spec.worker'];
    // The Status that Fluid prints of a CacheRuntime is a field that no CacheRuntime has.
    if (resource.plural === 'cacheruntimes')
      for (const each of [kept, fluids]) for (const path of Object.keys(each)) if (path.startsWith('columns')) delete each[path];
    if (resource.columns && !fluids['columns']) delete kept['columns'];
    // Ours come after Fluid's.
    else if (kept['columns']) kept['columns'] = (kept['columns'] as unknown[]).slice(0, (fluids['columns'] as unknown[]).length);
    for (const path of Object.keys(fluids)) {
      const lost = Object.keys(losses).find((end) => path.endsWith(end));
      if (lost === undefined || path in mine) continue;
      gone.add(lost);
      delete fluids[path];
      delete kept[path];
    }
    expect(kept).toEqual(fluids);
  });

  test.each(resources.map((resource) => [resource.kind, resource] as const))('%s adds nothing but what is listed', (_, resource) => {
    const { ours, theirs } = both(resource);
    const fluids = facts(theirs);
    // Only the top of an added struct is of interest.
    const added = Object.keys(facts(ours)).filter((path) => !(path in fluids) && parentOf(path) in { ...fluids, '': 0 });
    const unlisted = added.filter((path) => !allowed(resource, path, seen));
    expect(unlisted).toEqual([]);
  });

  test('every listed addition and loss is one', () => {
    expect(Object.keys(losses).filter((path) => !gone.has(path))).toEqual([]);
    expect(additions.filter((addition) => !seen.has(addition)).map(({ path }) => path)).toEqual([]);
  });
});

function both({ plural }: CustomResource, own = resources.find((resource) => resource.plural === plural)) {
  const theirs = parse(readFileSync(join(GOLDENS, 'crds', `${plural}.yaml`), 'utf8')) as Crd;
  return { ours: crdOf(own as CustomResource) as unknown as Crd, theirs };
}

function allowed({ plural }: CustomResource, path: string, seen: Set<Addition>): boolean {
  const found = additions.filter(
    ({ kinds, path: listed }) =>
      (kinds === 'all' || kinds.includes(plural)) && (listed.startsWith('*') ? path.endsWith(listed.slice(1)) : path === listed),
  );
  for (const addition of found) seen.add(addition);
  return found.length > 0;
}

const parentOf = (path: string): string => path.replace(/(\.\w+|\[\]|\{\}|^\w+)$/, '');

/** Fluid's CRDs of Jindo and EFC do not name the selector of workers in the status, which is wrong or empty: no autoscaler finds them. */
const withSelector = ({ plural }: CustomResource, crd: unknown): unknown =>
  plural === 'jindoruntimes' || plural === 'efcruntimes'
    ? (JSON.parse(JSON.stringify(crd).replace('"scale":{', '"scale":{"labelSelectorPath":".status.selector",')) as unknown)
    : crd;
function withoutScale({ spec, ...crd }: Crd): Crd {
  const [version] = spec.versions as [Crd['spec']['versions'][0]];
  const { scale: _, ...subresources } = version.subresources as Readonly<Record<string, unknown>>;
  return { ...crd, spec: { ...spec, versions: [{ ...version, subresources }] } };
}

/** The part that is compared as a whole. */
function frame({ metadata, spec }: Crd): unknown {
  const { schema: _, additionalPrinterColumns: __, ...version } = spec.versions[0] as Crd['spec']['versions'][0];
  return { name: metadata.name, group: spec.group, scope: spec.scope, names: spec.names, version, versions: spec.versions.length };
}

/** The part that is compared field by field: a path for each, with all its rules but its description. */
function facts({ spec }: Crd): Record<string, unknown> {
  const { additionalPrinterColumns: columns, schema } = spec.versions[0] as Crd['spec']['versions'][0];
  const names = (columns as readonly { readonly name: string }[] | undefined)?.map(
    ({ name }) => [`columns.${name.replaceAll(/\W/g, '')}`, {}] as const,
  );
  const found: Record<string, unknown> = columns === undefined ? {} : { columns, ...Object.fromEntries(names ?? []) };
  const visit = (node: Structural, path: string): void => {
    const { description: _, properties = {}, items, additionalProperties, required, 'x-kubernetes-validations': rules, ...said } = node;
    const { 'x-kubernetes-list-type': listType, ...others } = said;
    // A list without a type is atomic.
    const rest = listType === undefined || listType === 'atomic' ? others : said;
    if (path !== '') found[path] = { ...rest, ...(required && { required: required.toSorted() }) };
    if (rules) found[path === '' ? 'rules' : `${path}.rules`] = rules;
    for (const [name, child] of Object.entries(properties)) visit(child, path === '' ? name : `${path}.${name}`);
    if (items) visit(items, `${path}[]`);
    if (additionalProperties) visit(additionalProperties, `${path}{}`);
  };
  visit(schema.openAPIV3Schema, '');
  return found;
}
