import { spawnSync } from 'node:child_process';
import type { Manifest } from '../../src/api/index.ts';

/** Every value of an object by its path, as JSON; entries of keyed lists by their key. */
export type Leaves = ReadonlyMap<string, string>;

/** Written by the API server, and no writer's choice. */
const SERVERS = new Set(['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields']);

export function leavesOf({ apiVersion, kind, metadata, ...rest }: Manifest): Leaves {
  const leaves = new Map<string, string>([['apiVersion', JSON.stringify(apiVersion)]]);
  const { status: _, ...fields } = rest;
  const own = Object.fromEntries(Object.entries(metadata).filter(([field]) => !SERVERS.has(field)));
  collect({ metadata: own, ...fields }, '', '', leaves);
  leaves.set('kind', JSON.stringify(kind));
  return leaves;
}

type Entry = Readonly<Record<string, unknown>>;
const KEYS: Readonly<Record<string, (entry: Entry) => unknown>> = {
  containers: ({ name }) => name,
  env: ({ name }) => name,
  volumes: ({ name }) => name,
  volumeMounts: ({ mountPath }) => mountPath,
  imagePullSecrets: ({ name }) => name,
  ports: ({ containerPort }) => containerPort,
  ownerReferences: ({ kind, name }) => `${String(kind)}/${String(name)}`,
};

function collect(value: unknown, path: string, field: string, leaves: Map<string, string>): void {
  if (field === 'script.sh' && typeof value === 'string') return collectSteps(value, path, leaves);
  if (field.endsWith('JAVA_OPTS') && typeof value === 'string') return collectOptions(value, path, leaves);
  if (field.endsWith('.cfg') && typeof value === 'string') return collectLines(value, path, leaves);
  if (field.endsWith('.xml') && typeof value === 'string') return collectElements(value, path, leaves);
  if (typeof value !== 'object' || value === null) return void leaves.set(path, JSON.stringify(value));
  if (Array.isArray(value)) {
    const keyOf = KEYS[field];
    const keys = value.map((entry, i) => String(keyOf?.(entry as Entry) ?? i));
    // $(NAME) in a value refers to what stands before it.
    if (field === 'env') leaves.set(`${path}.order`, JSON.stringify(keys.join(' ')));
    value.forEach((entry, i) => collect(entry, `${path}[${keys[i]}]`, '', leaves));
  } else {
    for (const [key, each] of Object.entries(value))
      collect(each, /^[A-Za-z]\w*$/.test(key) ? `${path}${path && '.'}${key}` : `${path}[${key}]`, key, leaves);
  }
  if (Object.keys(value).length === 0) leaves.set(path, JSON.stringify(value));
}

/** Java takes the later of properties that are set twice. */
function collectOptions(line: string, path: string, leaves: Map<string, string>): void {
  for (const option of line.split(' ').filter(Boolean))
    leaves.set(`${path}[${option.replace(/^(-D[^=]*)=.*/, '$1')}]`, JSON.stringify(option));
}

/** Lines `name = value`, in sections `[section]`. */
function collectLines(text: string, path: string, leaves: Map<string, string>): void {
  let section = '';
  for (const line of text.split('\n').filter(Boolean)) {
    if (line.startsWith('[')) section = line;
    const [, key = '', value = ''] = /^(\S+) =(.*)$/.exec(line) ?? [line];
    leaves.set(`${path}${section}[${key}]`, JSON.stringify(value.trim()));
  }
}

/** Properties of Hadoop by name; other elements by their place. Blanks between elements say nothing. */
function collectElements(text: string, path: string, leaves: Map<string, string>): void {
  const plain = text.replaceAll(/>\s+</g, '><').trim();
  const properties = [...plain.matchAll(/<property><name>(.*?)<\/name><value>(.*?)<\/value><\/property>/g)];
  for (const [, name, value] of properties) leaves.set(`${path}[${name}]`, JSON.stringify(value));
  leaves.set(`${path}.elements`, JSON.stringify(plain.replaceAll(/<property>.*?<\/property>/g, '')));
}

/** The effects of a script show when it runs: each line that it logs, each program with the arguments that reach it. */
function collectSteps(script: string, path: string, leaves: Map<string, string>): void {
  leaves.set(`${path}.stopsOnError`, String(/^set -e$/m.test(script)));
  const steps = run(script);
  steps.forEach((step, i) => leaves.set(`${path}.step[${i}]`, JSON.stringify(step)));
}

const PROGRAMS = ['/usr/local/bin/juicefs', '/usr/bin/juicefs', '/bin/mount.juicefs', '/sbin/mount.juicefs'];
const VARIABLES = ['METAURL', 'ACCESS_KEY', 'SECRET_KEY', 'TOKEN'];

const PRELUDE = [
  `call() { printf '%s\\037' "$@" >&3; printf '\\036' >&3; }`,
  `echo() { call log "\${*#* * }"; }`,
  `exec() { "$@"; }`,
  ...PROGRAMS.map((program) => `function ${program} { call ${program} "$@"; }`),
  ...VARIABLES.map((name) => `${name}='<${name}>'`),
  '',
].join('\n');

function run(script: string): readonly (readonly unknown[])[] {
  const { output, status, stderr } = spawnSync('bash', ['-s'], {
    input: PRELUDE + script,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`a script failed (${status}): ${stderr}\n${script}`);
  const calls = (output[3] ?? '').split('\x1e').filter(Boolean);
  return calls.map((call) => withOptionSet(call.split('\x1f').slice(0, -1)));
}

/** The order of an `-o` list says nothing. */
const withOptionSet = (argv: readonly string[]): readonly unknown[] =>
  argv.map((arg, i) => (argv[i - 1] === '-o' ? arg.split(',').toSorted() : arg));
