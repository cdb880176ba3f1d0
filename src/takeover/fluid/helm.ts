import { gunzipSync } from 'node:zlib';
import { isRecord } from '../../api/is-record.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
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
  readonly uid: string;
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
  const records = await recordsOf(reads, { name, namespace }, 'helm');
  const current = records.findLast(({ status }) => status === 'deployed') ?? records.at(-1);
  const object = current && (await reads.get(typeOfRecord(current), { namespace, name: current.name }));
  const { chart: _, ...content } = (object && current && contentOf(current.kind, object)) ?? {};
  return { name, namespace, records, ...content };
}

/** The records of a release with this owner, the oldest first, by their metadata. @param owner `helm`, of those that helm finds */
export async function recordsOf(
  reads: FluidReader,
  { name, namespace }: Pick<HelmRelease, 'name' | 'namespace'>,
  owner: string,
): Promise<readonly HelmRecord[]> {
  const options = { namespace, labelSelector: `owner=${owner},name=${name}`, metadataOnly: true };
  const of = async (kind: HelmRecord['kind']) =>
    (await reads.list(typeOfRecord({ kind }), options)).map((object) => recordOf(kind, object));
  const lists = await Promise.all([of('Secret'), of('ConfigMap')]);
  return lists.flat().toSorted((a, b) => a.revision - b.revision);
}

/** The kind of object that a record is, for requests. */
export const typeOfRecord = ({ kind }: Pick<HelmRecord, 'kind'>): ResourceType => (kind === 'Secret' ? Secret : ownedKinds.ConfigMap);

const recordOf = (kind: HelmRecord['kind'], { metadata }: KubeObject): HelmRecord => ({
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
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
