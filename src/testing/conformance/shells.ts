import type { Container, Manifest } from '../../api/index.ts';
import { jobOf } from './pods.ts';

const RUN = '$(id)';
/** A user's text of which a shell would run a part, were it not quoted, or within quotes of the author's. */
export const HOSTILE = `${RUN}'${RUN}`;

/** User's text in what a shell reads: joined to it, or in a variable or an argument that is not quoted there. */
export function shellFaults(made: readonly Manifest[]): readonly string[] {
  const texts = made.flatMap(({ kind, metadata, data }) =>
    kind === 'ConfigMap'
      ? Object.entries((data ?? {}) as Record<string, string>).map(([key, text]) => [`${metadata.name} ${key}`, text] as const)
      : [],
  );
  const containers = made.flatMap((each) => {
    const { containers: own = [], initContainers = [] } = jobOf(each)?.template.spec ?? {};
    return [...initContainers, ...own];
  });
  const scripts = [...texts, ...containers.flatMap(({ name, command = [], args = [] }) => inlineOf(name, [...command, ...args]))];
  const read = containers.flatMap(hostileNames);
  return scripts.flatMap(([where, script]) => {
    const code = script.replaceAll(/^[ \t]*#.*$/gm, '');
    // A shell runs `$(…)` also in double quotes.
    const bare = code.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : ''));
    const unquoted = code.replaceAll(TOKEN, '');
    return [
      ...(bare.includes(RUN) ? [`${where}: a shell would run what a user has written`] : []),
      ...read
        .filter((name) => new RegExp(`\\$\\{?${name}(?![A-Za-z0-9_])`).test(unquoted))
        .map((name) => `${where}: ${name === ARGUMENT ? 'an argument' : `$${name}`} is not quoted`),
    ];
  });
}

/** Escaped or quoted text. */
const TOKEN = /\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g;

/** The script of `sh -c`. */
function inlineOf(name: string, argv: readonly string[]): readonly (readonly [string, string])[] {
  const at = /(^|\/)(ba|da|z|k)?sh$/.test(argv[0] ?? '') ? argv.findIndex((arg) => /^-[a-z]*c$/.test(arg)) : -1;
  const script = at > 0 ? argv[at + 1] : undefined;
  return script === undefined ? [] : [[`container ${name}`, script]];
}

const ARGUMENT = '[0-9@*]';
/** By what names a shell finds user's text. */
function hostileNames({ env = [], args = [], command = [] }: Container): readonly string[] {
  const isHostile = (text: string | undefined) => text?.includes(RUN) ?? false;
  return [
    ...env.filter(({ value }) => isHostile(value)).map(({ name }) => name),
    ...([...command, ...args].some(isHostile) ? [ARGUMENT] : []),
  ];
}
