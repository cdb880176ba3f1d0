import { gunzipSync } from 'node:zlib';
import { isRecord } from '../../api/is-record.ts';
import type { KubeObject } from '../../kube/types.ts';
import { ownedKinds, Secret } from '../../planning/kinds.ts';
import type { FluidReader } from './reads.ts';

/** A release of helm, whose records are Secrets or ConfigMaps of its namespace. */
export interface HelmRelease {
  readonly name: string;
  readonly namespace: string;
  /** One of each revision, the oldest first. Empty if none exists, or none may be read. */
  readonly records: readonly HelmRecord[];
  /** Version of the chart in the newest readable record: `1.0.8`. */
  readonly chartVersion?: string;
  /** Values that the user gave; without those of the chart. Absent if no record can be read. */
  readonly values?: Readonly<Record<string, unknown>>;
}

export interface HelmRecord {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly revision: number;
  /** `deployed`, `superseded`, `failed`, …; of helm's label. */
  readonly status: string;
}

/** The readable part of a record. */
export interface ChartContent {
  /** Name of the chart. */
  readonly chart?: string;
  readonly chartVersion?: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A release with all CRDs of Fluid has about 2 MB. */
const LARGEST = 64 << 20;

/**
 * The release that an object belongs to, by the annotations that helm sets since 3.2.
 * threat-model: R-fluid-release
 */
export function releaseOf(objects: readonly KubeObject[]): { readonly name: string; readonly namespace: string } | undefined {
  for (const { metadata } of objects) {
    const { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': namespace } = metadata.annotations ?? {};
    if (name && namespace) return { name, namespace };
  }
  return undefined;
}

/** Reads the records of a release: all by their metadata, and what is in the deployed one, else in the newest. */
export async function readRelease(
  reads: FluidReader,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<HelmRelease> {
  const options = { namespace, labelSelector: `owner=helm,name=${name}`, metadataOnly: true };
  const [secrets, configMaps] = await Promise.all([reads.list(Secret, options), reads.list(ownedKinds.ConfigMap, options)]);
  const records = [...secrets.map((each) => recordOf('Secret', each)), ...configMaps.map((each) => recordOf('ConfigMap', each))].toSorted(
    (a, b) => a.revision - b.revision,
  );
  const current = records.findLast(({ status }) => status === 'deployed') ?? records.at(-1);
  const object = current && (await reads.get(current.kind === 'Secret' ? Secret : ownedKinds.ConfigMap, { namespace, name: current.name }));
  const { chart: _, ...content } = (object && current && contentOf(current.kind, object)) ?? {};
  return { name, namespace, records, ...content };
}

const recordOf = (kind: HelmRecord['kind'], { metadata }: KubeObject): HelmRecord => ({
  kind,
  name: metadata.name,
  revision: Number(metadata.labels?.['version'] ?? 0),
  status: metadata.labels?.['status'] ?? '',
});

/** Base64 of gzip of JSON; a Secret is base64 once more. undefined for what helm did not write, and for more than `largest` bytes of JSON. */
export function contentOf(kind: HelmRecord['kind'], object: KubeObject, largest = LARGEST): ChartContent | undefined {
  const { release = '' } = (object['data'] ?? {}) as { readonly release?: string };
  try {
    const text = kind === 'Secret' ? Buffer.from(release, 'base64').toString('latin1') : release;
    const parsed: unknown = JSON.parse(gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: largest }).toString('utf8'));
    if (!isRecord(parsed)) return undefined;
    const { chart, config } = parsed as {
      readonly chart?: { readonly metadata?: { readonly name?: unknown; readonly version?: unknown } };
      readonly config?: unknown;
    };
    const { name, version } = chart?.metadata ?? {};
    return {
      values: isRecord(config) ? config : {},
      ...(typeof name === 'string' && { chart: name }),
      ...(typeof version === 'string' && { chartVersion: version }),
    };
  } catch {
    return undefined;
  }
}
