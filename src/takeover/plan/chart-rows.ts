/** The shape of a row of the table of chart values, and what rows of one sort share. */

/** A value by its path; undefined if it was not given. */
export type Given = (path: string) => unknown;

/** Where a value is set in the values of `sluice install`. */
export type Place =
  /** A value by its path: `webhook.replicas`. */
  | { readonly value: string }
  /** Variables of a part. */
  | { readonly env: readonly string[]; readonly of: 'controller' | 'csi' | 'webhook' }
  /** A flag of the controller, before its value: `--runtime-node-port-range=alluxio=`. */
  | { readonly flag: string };

/** Values of Fluid's chart that have one place in Sluice. */
export interface ChartRow {
  /** The name in the documentation. */
  readonly chart: string;
  /** Paths of the values in values.yaml, of every chart 1.0.0 to 1.0.8 and a826600. A `*` is any one key, `**` whatever is below. */
  readonly paths: readonly string[];
  /** The default of the chart at a826600, in words. */
  readonly fluid: string;
  /** The default of Sluice, in words, if it is another one. */
  readonly ours?: string;
  readonly place: Place;
  /**
   * Puts the values that were given together. Returns undefined if nothing has to be set, and throws `Undecided` if Sluice has no such
   * value. Default: the value of the one path, as it is.
   */
  readonly take?: (given: Given, paths: readonly string[]) => unknown;
  /** Where Fluid's workloads have it, if neither a file nor a release does. Default: the variables of the place. */
  readonly live?: Live;
}

/** A variable or a flag of a container. `absent`: the value that it means that a controller of this name has no such variable. */
export type Live =
  | 'none'
  | {
      readonly variable: string;
      readonly parse?: (text: string) => unknown;
      readonly absent?: { readonly of: string; readonly value: unknown };
    }
  /** A flag of those of these controllers that exist: they have one value, or an operator decides. */
  | { readonly flag: string; readonly of: readonly string[] };

/** An operator has to decide, since Sluice cannot do what the value says. */
export class Undecided extends Error {
  override readonly name = 'Undecided';
}

/** The one value of several, where Sluice has one for all kinds. @param what they are: `policy` @throws Undecided if they differ */
export function oneFor(what: string, values: readonly unknown[]): unknown {
  const given = [...new Set(values.filter((value) => value !== undefined))];
  if (given.length > 1) throw new Undecided(`one ${what} serves all kinds, and these differ: ${given.join(', ')}`);
  return given[0];
}

/** An image: `prefix`, `name` and `tag`, or one text in charts before 1.0.2. */
export const image = (chart: string, env: string | readonly string[], fluid: string, edition = ''): ChartRow => ({
  chart: edition === '' ? chart : `${chart}.${edition}image…`,
  paths: ['image', 'imagePrefix', 'imageName', 'imageTag'].map((key) => `${chart}.${edition}${key}`),
  fluid,
  place: { env: typeof env === 'string' ? [env] : env, of: 'controller' },
  take: (given, [whole = '', prefix = '', name = '', tag = '']) => {
    if (given(whole) !== undefined) return given(whole);
    const parts = [given(prefix), given(name), given(tag)];
    if (parts.every((part) => part === undefined)) return undefined;
    const [usual] = [partsOf(fluid)];
    return `${parts[0] ?? usual[0]}/${parts[1] ?? usual[1]}:${parts[2] ?? usual[2]}`;
  },
});

/** Prefix, name and tag. */
function partsOf(text: string): readonly [string, string, string] {
  const [, prefix = '', name = '', tag = ''] = /^(.*)\/([^/:]+):([^:]+)$/.exec(text) ?? [];
  return [prefix, name, tag];
}

/** The ports of a kind. */
export const portRange = (type: string, fluid: string): ChartRow => ({
  chart: `runtime.${type}.portRange`,
  paths: [`runtime.${type}.portRange`],
  fluid,
  place: { flag: `--runtime-node-port-range=${type}=` },
  live: { flag: '--runtime-node-port-range=', of: [`${type}runtime-controller`] },
});

/** A value of one path, whose place is a value of `sluice install`. */
export const same = (chart: string, fluid: string, value = chart, more: Partial<ChartRow> = {}): ChartRow => ({
  chart,
  paths: [chart],
  fluid,
  place: { value },
  live: 'none',
  ...more,
});

/** Variables of the controller that one value of the chart becomes. */
export const variable = (chart: string, env: string, fluid: string, more: Partial<ChartRow> = {}): ChartRow => ({
  chart,
  paths: [chart],
  fluid,
  place: { env: [env], of: 'controller' },
  ...more,
});
