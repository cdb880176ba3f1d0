import {
  type Answers,
  type BoundProbe,
  type BoundRuntime,
  type Command,
  PARTS,
  type Runtime,
  type ReadAnswer,
} from '../../constructs/index.ts';
import { aimsOf } from '../../constructs/read-probe.ts';
import { containersOf } from './pods.ts';

/** Each function returns faults, one line each. */

/** A plan that says of itself what its definition does not. */
export function identityFaults(runtime: Runtime, bound: BoundRuntime): readonly string[] {
  const { type, engines, resource, workloads } = runtime;
  const { plan, roles } = bound;
  const names = workloads(plan.name);
  const known = runtime.secrets.map((suffix) => `${plan.name}-${suffix}`);
  return [
    ...(plan.type === type ? [] : [`plan.type: expected ${type}, found ${plan.type}`]),
    ...(engines.includes(plan.engine) ? [] : [`plan.engine: expected one of ${engines.join(', ')}, found ${plan.engine}`]),
    ...(plan.owner.kind === resource.kind ? [] : [`plan.owner.kind: expected ${resource.kind}, found ${plan.owner.kind}`]),
    ...roles.flatMap((role) => (plan.workloads[role] === names[role] ? [] : [`plan.workloads.${role}: expected ${names[role]}`])),
    ...(['master', 'worker'] as const).flatMap((role) =>
      plan.replicas[role] === undefined || roles.includes(role) ? [] : [`plan.replicas.${role}: there is no such component`],
    ),
    // No watch shows Secrets: one that the plan loses is looked for by its name.
    ...secretsOf(bound).flatMap((name) =>
      known.includes(name)
        ? []
        : [`Secret ${name}: expected a suffix among the secrets of the runtime, found ${known.join(', ') || 'none'}`],
    ),
  ];
}

/** Components and Secrets that no plan has: their pods would never be, and the Secrets would be looked for in vain. */
export function forgotten({ secrets }: Pick<Runtime, 'secrets'>, bound: readonly BoundRuntime[]): readonly string[] {
  const made = new Set(bound.flatMap(({ roles }) => roles));
  const has = (suffix: string) => bound.some((each) => secretsOf(each).includes(`${each.plan.name}-${suffix}`));
  return [
    ...[...new Set(bound.flatMap(({ known }) => known))].filter((role) => !made.has(role)).map((role) => `no case has a ${role}`),
    ...secrets.filter((suffix) => !has(suffix)).map((suffix) => `no case has a Secret <name>-${suffix}`),
  ];
}

const secretsOf = ({ synth }: BoundRuntime): readonly string[] =>
  PARTS.flatMap(synth).flatMap(({ kind, metadata }) => (kind === 'Secret' ? metadata.name : []));

function commandFaults(bound: BoundRuntime, commands: readonly Command[]): readonly string[] {
  const containers = containersOf(bound);
  return commands.flatMap(({ in: role, on, container, argv, timeoutSeconds = 1 }) => {
    const what = `${argv.join(' ') || 'a command'} in ${role}`;
    return [
      ...(containers.has(role) ? [] : [`${what}: there is no ${role}`]),
      ...(container === undefined || !containers.has(role) || containers.get(role)?.includes(container)
        ? []
        : [`${what}: no container is called ${container}`]),
      ...(on === 'leader' && !bound.leader ? [`${what}: the engine has no leader probe`] : []),
      ...(argv.length > 0 && argv.every((arg) => typeof arg === 'string') ? [] : [`${what}: expected a program and its arguments`]),
      ...(timeoutSeconds > 0 ? [] : [`${what}: expected a time in which it can be done, found ${timeoutSeconds}`]),
    ];
  });
}

export function mountFaults(bound: BoundRuntime): readonly string[] {
  const { mounts } = bound;
  if (!mounts) return [];
  const paths = mounts.wanted.map(({ path }) => path);
  const all = mounts.change({ unmount: ['/a'], mount: mounts.wanted });
  const text = JSON.stringify(all);
  // A program that mounts what a file says, and prints what is mounted then, gets no paths: the list is made by the same command.
  const listed = new Set(mounts.list.commands.map((command) => JSON.stringify(command)));
  const isByFile = all.length > 0 && all.every((command) => listed.has(JSON.stringify(command)));
  return [
    ...paths.filter((path) => !path.startsWith('/')).map((path) => `mounts.wanted: expected absolute paths, found ${path}`),
    ...paths.filter((path, i) => paths.indexOf(path) < i).map((path) => `mounts.wanted: ${path} twice`),
    ...commandFaults(bound, [...mounts.list.commands, ...all]),
    ...['/a', ...paths]
      .filter((path) => !isByFile && !text.includes(JSON.stringify(path).slice(1, -1)))
      .map((path) => `mounts.change: nothing is done about ${path}`),
    ...answerFaults('mounts.list', mounts.list),
  ];
}

export function probeFaults(bound: BoundRuntime): readonly string[] {
  const { probes, leader } = bound;
  const asked = Object.entries({ cache: probes.cache, ufs: probes.ufs, reads: probes.reads, leader });
  return [
    ...asked.flatMap(([name, probe]) => (probe ? [...commandFaults(bound, probe.commands), ...answerFaults(name, probe)] : [])),
    ...(probes.reads ? readFaults(probes.reads) : []),
  ];
}

function readFaults(probe: BoundProbe<ReadAnswer>): readonly string[] {
  const { subject, directories } = aimsOf(probe);
  return [
    ...(subject.trim() === ''
      ? [`reads.subject: expected who does not answer, such as "the store", found ${JSON.stringify(subject)}`]
      : []),
    ...directories
      .filter((path) => !path.startsWith('/'))
      .map((path) => `reads.directories: expected absolute paths, found ${JSON.stringify(path)}`),
  ];
}

/** Outputs of engines before they are up, or when they fail. */
export const SAID = ['', '\n', 'error: not ready\n', '{}', '[]', '0', 'null'];

/** A probe reads any answer, or throws an Error that says what is wrong. */
function answerFaults(name: string, { commands, parse }: BoundProbe<unknown>): readonly string[] {
  const answered = (text: string): Answers => commands.map(() => [text]);
  return [...SAID.map(answered), commands.map(() => [])].flatMap((answers) => {
    try {
      return isTellable(parse(answers))
        ? []
        : [`${name}: ${JSON.stringify(answers)} is read as ${String(JSON.stringify(parse(answers)))}, with a number that is none`];
    } catch (error) {
      return error instanceof TypeError || error instanceof RangeError
        ? [`${name}: ${JSON.stringify(answers)} ends in ${error.message}`]
        : [];
    }
  });
}
/** Whether all numbers of a value are numbers. */
export function isTellable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isTellable);
}

/** Clean-up deletes only directories that it names, for every answer of a probe. */
export function cleanupFaults(bound: BoundRuntime): readonly string[] {
  const { cleanup } = bound;
  if (!cleanup) return [];
  const asked = cleanup.ask ? commandFaults(bound, cleanup.ask.commands) : [];
  const found = [undefined, '', '.', '..', '/', 'uuid'].flatMap((each) => {
    try {
      return cleanup.commands(each);
    } catch {
      // A probe may throw.
      return [];
    }
  });
  const fuse = found.filter((command) => (command.in as string) === 'fuse');
  return [
    ...asked,
    ...commandFaults(bound, found),
    ...fuse.map(({ argv }) => `${argv.join(' ')}: fuse pods are gone when caches are cleaned`),
    ...found
      .filter(({ argv }) => argv[0] === 'rm')
      .flatMap(({ argv }) => argv.slice(1).filter((arg) => !arg.startsWith('-') && !isOwn(arg)))
      .map((path) => `${path} would be deleted`),
  ];
}
const isOwn = (path: string): boolean => /^\/[^/]+(\/[^/]+)+$/.test(path) && !path.split('/').some((part) => part === '..' || part === '.');
