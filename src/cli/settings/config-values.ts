import { normalize } from 'node:path/posix';
import { isLabel as isLabelPair, nearest, shown } from '../../api/index.ts';
import type { Runtime } from '../../constructs/contract.ts';
import { isRegistry } from '../../constructs/default-image.ts';
import { parseSelector, type Selects } from '../../kube/selector.ts';
import { injectionKeys } from '../../webhook/injection-options.ts';
import { UsageError } from '../errors.ts';

export interface Address {
  /** Empty for all addresses. */
  readonly host: string;
  readonly port: number;
}

/** Parses a text if it is given; a text that does not parse becomes a fault, and the reading goes on. */
export type Read = <T>(source: string, text: string | undefined, parse: (text: string) => T, absent: T) => T;

/** A text does not parse; the message is what was expected. */
class Expected extends Error {}

/** Runs `work` to its end, then throws a UsageError with every fault that it met. */
export function complete<T>(work: (read: Read) => T): T {
  const faults: string[] = [];
  const result = work((source, text, parse, absent) => {
    if (text === undefined || text === '') return absent;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof Expected)) throw error;
      faults.push(`${source}: expected ${error.message}, found ${shown(text)}`);
      return absent;
    }
  });
  if (faults.length > 0) throw new UsageError(faults);
  return result;
}

function expect(holds: unknown, expected: string): asserts holds {
  if (!holds) throw new Expected(expected);
}

/** Fluid's rule for MOUNT_ROOT; with a root that breaks it Fluid silently mounts below `/`. */
export function mountRootOf(text: string): string {
  const root = normalize(text).replace(/\/$/, '');
  const parts = root.slice(1).split('/');
  expect(
    root.startsWith('/') && parts.every((part) => isLabel(part.toLowerCase().replaceAll('_', '-'))),
    'an absolute path of letters, digits, "-" and "_", such as /runtime-mnt',
  );
  return root;
}

/** At most nine digits: a larger number is a slip. */
export function wholeNumber(text: string): number {
  expect(/^\d{1,9}$/.test(text), 'a whole number of at most nine digits');
  return Number(text);
}

/** Any absolute path, as the kernel would print it. */
export function directoryOf(text: string): string {
  const path = normalize(text).replace(/(.)\/$/, '$1');
  expect(path.startsWith('/'), 'an absolute path');
  return path;
}

export function booleanOf(text: string): boolean {
  expect(/^(1|0|t|f|true|false)$/i.test(text), 'true or false');
  return /^[1t]/i.test(text);
}

export function secretNamesOf(text: string): readonly string[] {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  expect(
    names.every((name) => name.length <= 253 && name.split('.').every(isLabel)),
    'names of Secrets separated by commas',
  );
  return names;
}

/** Each is watched by itself, in about thirty watches. */
const MOST_NAMESPACES = 20;

export function namespacesOf(text: string): readonly string[] {
  const names = [...new Set(text.split(',').flatMap((name) => name.trim() || []))];
  expect(
    names.length > 0 && names.length <= MOST_NAMESPACES && names.every(isLabel),
    `names of at most ${MOST_NAMESPACES} namespaces separated by commas, such as ml,dev`,
  );
  return names;
}

export function registryOf(text: string): string | undefined {
  expect(isRegistry(text), 'a registry such as registry.example or registry.example:5000/mirror');
  return text;
}

export function portRangeOf(runtimes: readonly Runtime[]) {
  const types = runtimes.map(({ type }) => type);
  return (text: string): readonly [string, readonly [number, number]] => {
    const [, type = '', first, last] = /^([^=]+)=(\d{1,5})-(\d{1,5})$/.exec(text) ?? [];
    const range = [Number(first), Number(last)] as const;
    expect(type && range[0] >= 1 && range[0] <= range[1] && range[1] <= 65_535, '<runtime>=<first>-<last> such as juicefs=14000-15999');
    expect(types.includes(type), `a runtime among ${types.join(', ')}${didYouMean(type, types)}`);
    return [type, range];
  };
}

const didYouMean = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known);
  return near ? ` (did you mean ${near}?)` : '';
};

export function oneOf<T extends string>(...values: readonly T[]) {
  return (text: string): T => {
    const value = values.find((each) => each === text);
    expect(value, values.join(' or '));
    return value;
  };
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

export function durationOf(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  expect(text === '0' || unit, 'a duration such as 60s or 5m, or 0');
  return text === '0' ? 0 : Number(amount) * UNITS[unit as keyof typeof UNITS];
}

export function addressOf(text: string): Address | undefined {
  if (text === '0') return undefined;
  const [, bracketed, host = bracketed ?? '', digits] = /^(?:\[([0-9a-f:]+)\]|([^:[\]]*)):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  expect(port <= 65_535, '<host>:<port> such as :8080 or 127.0.0.1:8080, or 0');
  return { host, port };
}

export function portOf(text: string): number {
  const port = Number(text);
  expect(/^\d{1,5}$/.test(text) && port <= 65_535, 'a port such as 9443');
  return port;
}

export function dnsLabel(text: string): string {
  expect(isLabel(text), 'the name of a namespace');
  return text;
}

export function selectorOf(text: string): Selects {
  try {
    return parseSelector(text);
  } catch (error) {
    // The message of parseSelector names the part that is not a selector.
    throw new Expected((error as Error).message.replace(/^expected /, '').replace(/, found .*/, ''), { cause: error });
  }
}

export function labelKeyOf(text: string): string | undefined {
  expect(isLabelPair([text, '']), 'the key of a label, such as example.com/platform');
  return text;
}

/**
 * The key of KEY_SERVERLESS_PLATFORM. Under a key that has a meaning of its own, its `true` would be the name of a platform.
 * threat-model: keeps
 */
export function platformLabelOf(text: string): string | undefined {
  const keys: readonly string[] = Object.values(injectionKeys).filter((key) => key !== injectionKeys.platform);
  expect(!keys.includes(text), 'the key of a label of your platform, not one of Sluice');
  return labelKeyOf(text);
}

/** DNS-1123. */
const isLabel = (text: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);
