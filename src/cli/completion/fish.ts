import type { Completable, CompletableOption } from './tree.ts';

/** A file for fish's folder of completions. */
export function fishScript(commands: readonly Completable[]): string {
  const first = commands.map(({ name, summary }) => `-n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`);
  const rest = commands.flatMap(({ name, options, choices }) => {
    const after = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      ...options.map((option) => `${after} ${optionOf(option)}`),
      ...(choices.length > 0 ? [`${after} -f -a ${quoted(choices.join(' '))}`] : []),
    ];
  });
  const lines = ['-n __fish_use_subcommand -s V -l version -d "print the version"', ...first, ...rest];
  return `# fish completion of sluice; sluice completion --help says how to use it
${['sluice', 'kubectl-sluice'].flatMap((program) => lines.map((line) => `complete -c ${program} ${line}`)).join('\n')}
`;
}

function optionOf({ long, short, description, value }: CompletableOption): string {
  const flags = `${short === undefined ? '' : `-s ${short} `}-l ${long} -d ${quoted(description)}`;
  if (value.sort === 'none') return flags;
  if (value.sort === 'file') return `${flags} -r -F`;
  return `${flags} -x${value.sort === 'choices' ? ` -a ${quoted(value.choices.join(' '))}` : ''}`;
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
