import type { MountRow, Probe } from '../../src/constructs/index.ts';
import { master } from './commands.ts';
import { originOf, type Row } from './mounts.ts';
import type { AlluxioPlan } from './plan.ts';
import { web, WEB_MASTER } from './web.ts';

/** The mounts: from the master's web port, or from a command if that does not answer. */
export const list: Probe<AlluxioPlan, readonly MountRow[]> = {
  mostBytes: 1 << 20,
  commands: (plan) => [master(plan, ['bash', '-c', [web(plan), WEB_MASTER, 'alluxio fs mount'].join('\n')])],
  parse([answers], { mounts }) {
    const text = answers?.[0] ?? '';
    const lines = text.startsWith('{') ? readMaster(text) : readMounts(text);
    if (lines.length === 0)
      throw new Error(`alluxio fs mount said: ${text.startsWith('{') ? 'no mounts' : text.slice(0, 200) || 'nothing'}`);
    const wanted = new Map(mounts.rows.map((row) => [row.path, row]));
    return lines.filter(({ path }) => path !== '/').map((line) => inOurWords(line, wanted.get(line.path)));
  },
};

/** Alluxio adds and drops a slash at the end of an address, and masks what looks like a secret to it. */
function inOurWords(
  { path, source, readOnly, shared, properties }: MountLine,
  row: Row | undefined,
): Pick<Row, 'path' | 'source'> & Partial<Row> {
  const known = row && address(row.source) === address(source) ? row.source : source;
  if (!properties) return { path, source: known };
  const shown = new Map(
    Object.entries(properties).map(([key, value]) => [key, /^\*+$/.test(value) ? (row?.options[key] ?? value) : value]),
  );
  for (const secret of row?.secrets ?? []) {
    const origin = originOf(secret);
    // Fluid mounts without an origin.
    if (shown.delete(secret.option) && !shown.has(origin)) shown.set(origin, row?.options[origin] ?? '');
  }
  return {
    path,
    source: known,
    options: { ...(readOnly && { '--readonly': '' }), ...(shared && { '--shared': '' }), ...Object.fromEntries(shown) },
  };
}

const address = (source: string): string => source.split('/').filter(Boolean).join('/');

/** A mount as Alluxio lists it. */
interface MountLine {
  readonly source: string;
  readonly path: string;
  readonly readOnly: boolean;
  readonly shared: boolean;
  /** As they were given, but for what Alluxio masks; absent in versions that do not list them. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Mounts that a master says it has; in its commands' output, a comma in a value and one between two values look the same. */
export function readMaster(text: string): readonly MountLine[] {
  const { mountPoints } = mapOf(parsed(text));
  return Object.entries(mapOf(mountPoints)).map(([path, mount]) => {
    const { ufsUri, readOnly, shared, properties } = mapOf(mount);
    const texts = Object.entries(mapOf(properties)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return {
      path,
      source: String(ufsUri),
      readOnly: readOnly === true,
      shared: shared === true,
      ...(properties !== undefined && { properties: Object.fromEntries(texts) }),
    };
  });
}

/** Text that cannot be parsed is not shown: it may contain secrets. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error("the master's web port answered no JSON");
  }
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** Mounts that `alluxio fs mount` prints. */
export const readMounts = (text: string): readonly MountLine[] =>
  [...text.matchAll(/^[ \t]*(\S+)[ \t]+on[ \t]+(\S+)[ \t]+\((.*)\)[ \t]*$/gm)].map(([, source = '', path = '', facts = '']) => {
    const [plain = '', properties] = facts.split('properties={', 2);
    return {
      source,
      path,
      readOnly: /(?<!not )read-only/.test(plain),
      shared: /(?<!not )shared/.test(plain),
      ...(properties !== undefined && { properties: propertiesOf(properties.replace('}', '')) }),
    };
  });

/** `a=1, b=2`. */
const propertiesOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(', ')
      .filter(Boolean)
      .map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)]),
  );
