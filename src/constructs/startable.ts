import { InvalidSpec, type Manifest, shown } from '../api/index.ts';
import type { BasePlan, Command, MountRow, RuntimeInput } from './contract.ts';

/** The most bytes of an argument or a variable with which Linux starts a program (MAX_ARG_STRLEN less the NUL). */
export const LONGEST_ARGUMENT = 128 * 1024 - 1;
/** A command in a pod is in the URL of a request, of which a server in Go reads 1 MiB with its headers. */
const LONGEST_COMMAND = 1_000_000;

/** Whether a command can be sent to a pod and started there. */
export const isRunnable = (argv: readonly string[]): boolean =>
  argv.every((argument) => fits(argument)) && (charactersOf(argv) * WORST < LONGEST_COMMAND || encoded(argv).length <= LONGEST_COMMAND);
const charactersOf = (argv: readonly string[]): number => argv.reduce((sum, { length }) => sum + length + 'command=&'.length, 0);
/** `€` is `%E2%82%AC`. */
const WORST = 9;
/** As it is sent. encodeURIComponent leaves `'()!~` as they are. */
const encoded = (argv: readonly string[]): string =>
  new URLSearchParams(argv.map((each): [string, string] => ['command', each])).toString();

/** Rows of which each can be mounted, and mounted again when it changes. A short row is not checked. @throws InvalidSpec */
export function mountable<R extends MountRow>(
  rows: readonly R[],
  change: (row: R) => readonly Command[],
  plan: Pick<BasePlan, 'namespace' | 'name'>,
): readonly R[] {
  const tooLong = rows.find((row) => weight(row) > MOST_CHARACTERS && !change(row).every(({ argv }) => isRunnable(argv)));
  if (tooLong === undefined) return rows;
  const expected = `mounts whose commands can be run: arguments of at most ${LONGEST_ARGUMENT} bytes`;
  const found = `a longer one for ${shown(tooLong.path)}`;
  throw new InvalidSpec({ path: 'spec.mounts', expected, found }, { object: `Dataset ${plan.namespace}/${plan.name}` });
}
/** Below this, the commands of a row fit, however they are quoted. */
const MOST_CHARACTERS = 4096;

/**
 * Where a user can shorten what was rendered: the field that has most of the text of a spec, a profile or a class, and whose it is. A text of a
 * pod is made of many, so that which of them is too much cannot be said otherwise.
 */
export type Blame = () => { readonly path: string; readonly object?: string };

/**
 * A workload whose programs Linux can start.
 * @throws InvalidSpec with the argument or variable that is too long.
 */
export function startable(manifest: Manifest, blame: Blame): Manifest {
  for (const [where, text] of stringsOf(manifest)) {
    if (fits(text)) continue;
    const { path, ...options } = blame();
    const expected = `arguments and variables of at most ${LONGEST_ARGUMENT} bytes, with which Linux can start a program`;
    const { kind, metadata } = manifest;
    throw new InvalidSpec({ path, expected, found: `a longer one: ${where} of ${kind} ${metadata.name}` }, options);
  }
  return manifest;
}

/** A UTF-16 unit has at most three bytes; the kubelet writes `$` for `$$`. */
function fits(text: string): boolean {
  if (text.length * 3 <= LONGEST_ARGUMENT) return true;
  const plain = text.replaceAll('$$', '$');
  return plain.length <= LONGEST_ARGUMENT && new TextEncoder().encode(plain).length <= LONGEST_ARGUMENT;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Every text of a workload that becomes an argument or a variable, and where it is. */
function* stringsOf(manifest: Manifest): Generator<readonly [string, string]> {
  const spec = fieldsOf(manifest['spec']);
  const template = fieldsOf(fieldsOf(fieldsOf(spec['jobTemplate'])['spec'] ?? spec)['template']);
  const pod = manifest.kind === 'Pod' ? spec : fieldsOf(template['spec']);
  for (const list of ['initContainers', 'containers'])
    for (const each of listOf(pod[list])) {
      const container = fieldsOf(each);
      const at = `container ${String(container['name'])}`;
      for (const [field, argv] of commandsOf(container))
        for (const [i, argument] of listOf(argv).entries()) yield [`${at}.${field}[${i}]`, String(argument)];
      for (const variable of listOf(container['env'])) {
        const { name, value = '' } = fieldsOf(variable);
        yield [`${at}.env[${String(name)}]`, `${String(name)}=${String(value)}`];
      }
    }
}

function commandsOf(container: Fields): readonly (readonly [string, unknown])[] {
  const lifecycle = fieldsOf(container['lifecycle']);
  const hooks = ['postStart', 'preStop'].map((name) => [`lifecycle.${name}`, lifecycle[name]] as const);
  const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'].map((name) => [name, container[name]] as const);
  return [
    ['command', container['command']],
    ['args', container['args']],
    ...[...hooks, ...probes].map(([name, of]) => [`${name}.exec.command`, fieldsOf(fieldsOf(of)['exec'])['command']] as const),
  ];
}

/** The longest input of a plan, for an error to name. If no input is long, the runtime has made the long text itself. */
export function blameOf({ namespace, name, spec, dataset, facts }: RuntimeInput<unknown>): ReturnType<Blame> {
  const all: readonly { readonly value: unknown; readonly object?: string }[] = [
    { value: spec },
    { value: dataset.spec, object: `Dataset ${namespace}/${name}` },
    ...Object.entries(facts.objects).map(([id, object]) => ({ value: fieldsOf(object)['spec'], object: id.replace('/', ' ') })),
  ];
  const [first] = all.toSorted((a, b) => weight(b.value) - weight(a.value));
  if (weight(first?.value) < LONGEST_ARGUMENT / 16) return { path: 'spec' };
  return { path: heaviest(first?.value), ...(first?.object !== undefined && { object: first.object }) };
}

/** The innermost field that has most of the text. */
export function heaviest(value: unknown, path = 'spec'): string {
  const whole = weight(value);
  for (const [key, child] of Object.entries(fieldsOf(value)))
    if (2 * weight(child) > whole) return heaviest(child, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
  return path;
}

/** Characters. */
export function weight(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 0;
  for (const key in value) sum += key.length + weight((value as Fields)[key]);
  return sum;
}
