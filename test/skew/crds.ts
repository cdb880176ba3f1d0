/** CustomResourceDefinitions of other releases: those that have more than this program knows, and those that have less. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { resources } from '../../runtimes/_resources.gen.ts';
import { crdOf } from '../../src/api/crd.ts';
import type { CustomResource } from '../../src/api/resource.ts';
import { GOLDENS } from '../upstream/cases.ts';

interface Crd {
  readonly spec: { versions: { name: string; storage: boolean; schema: { openAPIV3Schema: { properties: Record<string, Schema> } } }[] };
}
interface Schema {
  properties?: Record<string, unknown>;
  readonly required?: readonly string[];
}

/** Each its own copy, as it is installed today. */
export const today = (): Crd[] => resources.map((resource) => structuredClone(crdOf(resource)) as unknown as Crd);

/** A field of spec and status that no program of today knows, with a default in the spec, and a second version. */
export function ofNewerRelease(): readonly object[] {
  return today().map((crd) => {
    const [version] = crd.spec.versions;
    if (!version) throw new Error('expected a version');
    const { spec, status } = version.schema.openAPIV3Schema.properties;
    if (spec?.properties) spec.properties['ofTomorrow'] = { type: 'string', default: 'yes' };
    if (status?.properties) status.properties['ofTomorrow'] = { type: 'string' };
    crd.spec.versions.push({ ...structuredClone(version), name: 'v1beta1', storage: false });
    return crd;
  });
}

/** Fluid's own, as a Sluice that `sluice takeover` has brought into a cluster of Fluid may find them. */
export const ofFluid = (): readonly object[] =>
  resources.map(({ plural }) => parse(readFileSync(join(GOLDENS, 'crds', `${plural}.yaml`), 'utf8')) as object);

/** Those of today, of which one kind lacks one field at the top of its status. */
export function withoutStatus(kind: string, field: string): readonly object[] {
  const crds = today();
  delete statusOf(crds[resources.findIndex((resource) => resource.kind === kind)]).properties?.[field];
  return crds;
}

/** Fields at the top of a kind's status that may be absent: the others are in the CRDs of Fluid, and so of every release. */
export function optionalStatus(resource: CustomResource): readonly string[] {
  const status = statusOf(structuredClone(crdOf(resource)) as unknown as Crd);
  return Object.keys(status.properties ?? {}).filter((field) => !status.required?.includes(field));
}

const statusOf = (crd: Crd | undefined): Schema => crd?.spec.versions[0]?.schema.openAPIV3Schema.properties['status'] ?? {};
