import { canonicalQuantity, type PersistentVolumeClaim, type ResourceRequirements, type Volume } from '../api/index.ts';

/** Quantities as the API server prints them, so that what comes back equals what was sent and an unchanged object is not applied again. */
export function canonicalResources(resources: ResourceRequirements | undefined, path: string): ResourceRequirements {
  if (!resources) return {};
  const { limits, requests, ...rest } = resources;
  return {
    ...rest,
    ...(isFilled(limits) && { limits: canonicalMap(limits, `${path}.limits`) }),
    ...(isFilled(requests) && { requests: canonicalMap(requests, `${path}.requests`) }),
  };
}

export function canonicalVolume(volume: Volume): Volume {
  const { emptyDir } = volume;
  if (emptyDir?.sizeLimit === undefined) return volume;
  return {
    ...volume,
    emptyDir: { ...emptyDir, sizeLimit: canonicalQuantity(emptyDir.sizeLimit, `volumes[${volume.name}].emptyDir.sizeLimit`) },
  };
}

export const canonicalClaim = ({ spec, ...claim }: PersistentVolumeClaim, path: string): PersistentVolumeClaim => ({
  ...claim,
  ...(spec && { spec: { ...spec, ...(spec.resources && { resources: canonicalResources(spec.resources, `${path}.spec.resources`) }) } }),
});

const isFilled = (amounts: object | undefined): amounts is Record<string, string> =>
  amounts !== undefined && Object.keys(amounts).length > 0;
const canonicalMap = (amounts: Readonly<Record<string, string>>, path: string): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, canonicalQuantity(amount, `${path}.${name}`)]));
