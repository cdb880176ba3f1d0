/**
 * Limits of the cost of an admission. The API server checks a pod only after the webhook has answered, and a quota of the namespace later
 * still.
 */
import type { Pod } from '../pod.ts';

/** Values in the JSON of a request. A pod with fifty containers has a tenth of it. */
export const MOST_VALUES = 50_000;
const MOST = { containers: 200, volumes: 1_000, entries: 3_000 } as const;

/** How many values a JSON text has, without parsing it: at most one more than `most`. */
export function valuesIn(text: string, most: number): number {
  let count = 1;
  let isString = false;
  for (let i = 0; i < text.length && count <= most; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        isString = !isString;
        break;
      case 0x5c: // \
        i++;
        break;
      case 0x2c: // ,
      case 0x5b: // [
      case 0x7b: // {
        if (!isString) count++;
        break;
      default:
    }
  }
  return count;
}

/** Why a pod is too large: larger than any that serves a purpose. */
export function whyTooLarge({ spec }: Pod): string | undefined {
  const { containers, initContainers = [], ephemeralContainers = [], volumes = [] } = spec as Lists;
  const all = [...initContainers, ...ephemeralContainers, ...containers];
  const entries = all.reduce((sum, each) => sum + LISTS.reduce((of, field) => of + (each[field]?.length ?? 0), 0), 0);
  return (
    excess(MOST.containers, all.length, 'spec.containers and spec.initContainers', 'containers') ??
    excess(MOST.volumes, volumes.length, 'spec.volumes', 'volumes') ??
    excess(MOST.entries, entries, 'spec.containers', `entries of ${LISTS.join(', ')} in all`)
  );
}

const LISTS = ['volumeMounts', 'volumeDevices', 'env', 'envFrom', 'ports'] as const;
type Listed = Partial<Record<(typeof LISTS)[number], readonly unknown[]>>;
interface Lists {
  readonly containers: readonly Listed[];
  readonly initContainers?: readonly Listed[];
  readonly ephemeralContainers?: readonly Listed[];
  readonly volumes?: readonly unknown[];
}

const excess = (most: number, found: number, where: string, what: string): string | undefined =>
  found > most ? `${where}: expected at most ${most} ${what}, found ${found}` : undefined;
