import { annotation, goFields, label, isReservedOnVolumes, shown } from '../api/index.ts';
import type { ObjectLabels, ReferenceFact, VolumePlan } from './contract.ts';
import { MOST_ENTRIES } from './limits.ts';
import { ignored, type Warning, warningsOf } from './warnings.ts';
import { isRecord } from '../api/is-record.ts';

type VolumeMetadata = VolumePlan['metadata'];

interface MetadataEntry extends Partial<ObjectLabels> {
  readonly selector?: { readonly group?: string; readonly kind?: string };
}

const withoutReserved = ({ labels, annotations }: ObjectLabels): ObjectLabels => ({ labels: open(labels), annotations: open(annotations) });
const open = (map: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !isReservedOnVolumes(key)));

const PATH = `metadata.annotations[${annotation.metadataList}]`;

/** The annotation `data.fluid.io/metadataList`: labels and annotations for the volume and the claim, picked by kind. */
export function metadataLists(text: string | undefined): VolumeMetadata & { readonly warnings: readonly Warning[] } {
  const parsed = text ? parseEntries(text) : NONE;
  const { entries, unknown } = parsed ?? NONE;
  const pick = (kind: string): ObjectLabels => {
    const matching = entries.filter(({ selector }) => selector?.kind === kind && !selector.group);
    const all = (field: keyof ObjectLabels) => Object.fromEntries(matching.flatMap((entry) => Object.entries(entry[field] ?? {})));
    return { labels: all('labels'), annotations: all('annotations') };
  };
  const users = { volume: pick('PersistentVolume'), claim: pick('PersistentVolumeClaim') };
  const all = Object.values(users).flatMap(({ labels, annotations }) => Object.keys({ ...labels, ...annotations }));
  const reserved = [...new Set(all.filter(isReservedOnVolumes))].toSorted();
  return {
    volume: withoutReserved(users.volume),
    claim: withoutReserved(users.claim),
    // As in Fluid, neither stops the dataset.
    warnings: warningsOf(
      !parsed && ignored(PATH, 'expected a JSON list of {selector: {kind}, labels, annotations}; the volume and the claim have none of it'),
      unknown.length > 0 &&
        ignored(
          PATH,
          `${unknown.map((name) => shown(name)).join(', ')}: expected selector, labels or annotations, and in a selector group, version and kind`,
        ),
      reserved.length > 0 && ignored(PATH, `only the controller writes ${reserved.join(', ')}; the volume and the claim have the rest`),
    ),
  };
}

/**
 * With where the volume leads. On the volume too, which no user can change: who refers to a Dataset, and whether its owner still consents,
 * follows from these volumes.
 */
export function withReference({ volume, claim }: VolumeMetadata, { dataset: { identity }, consent }: ReferenceFact): VolumeMetadata {
  const refers = { [label.referringName]: identity.name, [label.referringNamespace]: identity.namespace };
  return {
    volume: {
      labels: { ...volume.labels, ...refers },
      annotations: { ...volume.annotations, ...(consent && { [annotation.consent]: consent }) },
    },
    claim: { ...claim, labels: { ...claim.labels, ...refers } },
  };
}

interface Parsed {
  readonly entries: readonly MetadataEntry[];
  /** Names that are no field. */
  readonly unknown: readonly string[];
}
const NONE: Parsed = { entries: [], unknown: [] };

function parseEntries(text: string): Parsed | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value) || value.length > MOST_ENTRIES || !value.every(isRecord)) return undefined;
    const read = value.map(entryOf);
    const entries = read.flatMap(({ entry }) => (isMetadataEntry(entry) ? [entry] : []));
    return entries.length === read.length
      ? { entries, unknown: [...new Set(read.flatMap(({ unknown }) => unknown))].slice(0, 5) }
      : undefined;
  } catch {
    return undefined;
  }
}

function entryOf(value: Readonly<Record<string, unknown>>): { readonly entry: unknown; readonly unknown: readonly string[] } {
  const { fields, unknown } = goFields(value, ['selector', 'labels', 'annotations']);
  if (!isRecord(fields.selector)) return { entry: fields, unknown };
  const selector = goFields(fields.selector, ['group', 'version', 'kind']);
  return { entry: { ...fields, selector: selector.fields }, unknown: [...unknown, ...selector.unknown] };
}

function isMetadataEntry(value: unknown): value is MetadataEntry {
  const { selector, labels, annotations } = value as Readonly<Record<string, unknown>>;
  const isTexts = (map: unknown) =>
    isRecord(map) && Object.keys(map).length <= MOST_ENTRIES && Object.values(map).every((text) => typeof text === 'string');
  return [selector, labels, annotations].every((map) => isTexts(map ?? {}));
}
