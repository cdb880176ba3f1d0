import { normalize } from 'node:path/posix';
import type { Command } from 'commander';
import { nearest, shown } from '../api/index.ts';
import type { Runtime, Settings } from '../constructs/contract.ts';
import type { PortPolicy } from '../reconciler/kubernetes/ports.ts';
import { parseSelector, type Selects } from '../reconciler/kubernetes/selector.ts';
import { UsageError } from './errors.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Flags that influence manifests, so that every command that makes any has them. */
export interface SettingsFlags {
  readonly config?: string;
  readonly runtimeNodePortRange?: readonly string[];
}
export interface ControllerFlags extends SettingsFlags {
  readonly portAllocatePolicy?: string;
  readonly probeInterval?: string;
  readonly metricsAddr?: string;
  /** Commander's, for --no-leader-election. */
  readonly leaderElection?: boolean;
  readonly leaderElectionNamespace?: string;
}
export interface ControllerConfig {
  readonly settings: Settings;
  readonly portPolicy: PortPolicy;
  readonly probeMs: number;
  readonly excludeNodes: Selects;
  /** Of /healthz, /readyz and /metrics. */
  readonly address?: Address;
  readonly leaseNamespace?: string;
}
export interface Address {
  /** Empty for all addresses. */
  readonly host: string;
  readonly port: number;
}

export const settingsOptions = (command: Command): Command =>
  command
    .option('--config <file>', 'module that exports further runtimes (default: sluice.config.ts or .js here, if any)')
    .option('--runtime-node-port-range <runtime=first-last>', 'host ports a runtime may take, e.g. juicefs=14000-15999; repeatable', collect);

export const SETTINGS_ENVIRONMENT = `
Environment, as in Fluid:
  MOUNT_ROOT                   host directory of all mounts (default /runtime-mnt)
  CRITICAL_FUSE_POD            whether fuse pods are system-node-critical (default true)
  IMAGE_PULL_SECRETS           pull secrets for workloads that name none, separated by commas
  THIN_FUSE_CONFIG_STORAGE     where ThinRuntimes keep config.json: configmap (default) or secret
  JUICEFS_CE_IMAGE_ENV, JUICEFS_EE_IMAGE_ENV
                               default images, <image>:<tag>`;

export const controllerOptions = (command: Command): Command =>
  settingsOptions(command)
    .option('--port-allocate-policy <policy>', 'which free host port is taken: random, or the first one (bitmap)', 'random')
    .option('--probe-interval <duration>', 'how often caches are asked how full they are, e.g. 60s or 5m; 0 = never', '60s')
    .option('--metrics-addr <host:port>', 'where /healthz, /readyz and /metrics are served; 0 = nowhere', ':8080')
    .option('--no-leader-election', 'be the only controller, and do not ask')
    .option('--leader-election-namespace <namespace>', 'where the lease `sluice` is (default: MY_POD_NAMESPACE, else fluid-system)');

/** Throws UsageError with everything that is wrong at once. */
export function settingsOf(flags: SettingsFlags, env: Env, runtimes: readonly Runtime[]): Settings {
  return complete((read) => readSettings(read, flags, env, runtimes));
}

export function controllerConfigOf(flags: ControllerFlags, env: Env, runtimes: readonly Runtime[]): ControllerConfig {
  return complete((read) => {
    const address = read('--metrics-addr', flags.metricsAddr, addressOf, undefined);
    const namespace = read('MY_POD_NAMESPACE', env['MY_POD_NAMESPACE'], dnsLabel, 'fluid-system');
    return {
      settings: readSettings(read, flags, env, runtimes),
      portPolicy: read<PortPolicy>('--port-allocate-policy', flags.portAllocatePolicy, oneOf('random', 'bitmap'), 'random'),
      probeMs: read('--probe-interval', flags.probeInterval, durationOf, 60_000),
      excludeNodes: read('FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR', env['FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR'], selectorOf, () => false),
      ...(address && { address }),
      ...(flags.leaderElection !== false && { leaseNamespace: read('--leader-election-namespace', flags.leaderElectionNamespace, dnsLabel, namespace) }),
    };
  });
}

function readSettings(read: Read, flags: SettingsFlags, env: Env, runtimes: readonly Runtime[]): Settings {
  const declared = [...new Set(runtimes.flatMap((runtime) => runtime.env))];
  const ranges = (flags.runtimeNodePortRange ?? []).map((text) => read('--runtime-node-port-range', text, portRangeOf(runtimes), undefined));
  return {
    mountRoot: read('MOUNT_ROOT', env['MOUNT_ROOT'], mountRootOf, '/runtime-mnt'),
    criticalFusePod: read('CRITICAL_FUSE_POD', env['CRITICAL_FUSE_POD'], booleanOf, true),
    imagePullSecrets: read('IMAGE_PULL_SECRETS', env['IMAGE_PULL_SECRETS'], secretNamesOf, []),
    env: Object.fromEntries(declared.flatMap((name) => (env[name] ? [[name, read(name, env[name], READERS[name] ?? String, '')]] : []))),
    portRanges: Object.fromEntries(ranges.flatMap((range) => (range ? [range] : []))),
  };
}

/** Variables that the runtimes of this package declared, and that can be wrong. */
const READERS: Readonly<Record<string, (text: string) => string>> = { THIN_FUSE_CONFIG_STORAGE: oneOf('configmap', 'secret') };

/** Reads a text if there is any; what it cannot read becomes a fault, and the reading goes on. */
type Read = <T>(source: string, text: string | undefined, parse: (text: string) => T, absent: T) => T;

/** A text is not what it should be; the message says what it should be. */
class Expected extends Error {}

function complete<T>(work: (read: Read) => T): T {
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

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function expect(holds: unknown, expected: string): asserts holds {
  if (!holds) throw new Expected(expected);
}

/** Fluid's rule; where it is broken Fluid silently mounts below `/`. */
function mountRootOf(text: string): string {
  const root = normalize(text).replace(/\/$/, '');
  const parts = root.slice(1).split('/');
  const isLabel = (part: string) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(part.toLowerCase().replaceAll('_', '-'));
  expect(root.startsWith('/') && parts.every(isLabel), 'an absolute path of letters, digits, "-" and "_", such as /runtime-mnt');
  return root;
}

function booleanOf(text: string): boolean {
  expect(/^(1|0|t|f|true|false)$/i.test(text), 'true or false');
  return /^[1t]/i.test(text);
}

function secretNamesOf(text: string): readonly string[] {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  const isName = (name: string) => name.length <= 253 && /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(name);
  expect(names.every(isName), 'names of Secrets separated by commas');
  return names;
}

function portRangeOf(runtimes: readonly Runtime[]) {
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

function oneOf<T extends string>(...values: readonly T[]) {
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

function addressOf(text: string): Address | undefined {
  if (text === '0') return undefined;
  const [, bracketed, host = bracketed ?? '', digits] = /^(?:\[([0-9a-f:]+)\]|([^:[\]]*)):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  expect(port <= 65_535, '<host>:<port> such as :8080 or 127.0.0.1:8080, or 0');
  return { host, port };
}

function dnsLabel(text: string): string {
  expect(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text), 'the name of a namespace');
  return text;
}

function selectorOf(text: string): Selects {
  try {
    return parseSelector(text);
  } catch (error) {
    // Its message names the part that it cannot read.
    throw new Expected((error as Error).message.replace(/^expected /, '').replace(/, found .*/, ''), { cause: error });
  }
}
