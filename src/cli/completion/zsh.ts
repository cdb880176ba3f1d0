import type { Completable, CompletableOption } from './tree.ts';

/** A function for a folder of `fpath`. */
export const zshScript = (commands: readonly Completable[]): string => `#compdef sluice kubectl-sluice
_sluice() {
  local state
  local -a commands=(
    ${commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join('\n    ')}
  )
  _arguments -C '(- *)'{-h,--help}'[display help]' '(- *)'{-V,--version}'[print the version]' '1: :->command' '*:: :->rest' && return
  case "$state" in
    command) _describe command commands ;;
    rest)
      case "\${words[1]}" in
        ${commands.map((command) => `${command.name}) _arguments ${argumentsOf(command).join(' ')} ;;`).join('\n        ')}
      esac ;;
  esac
}
if [ "\${funcstack[1]}" = _sluice ]; then _sluice "$@"; else compdef _sluice sluice kubectl-sluice; fi
`;

const argumentsOf = ({ options, choices }: Completable): readonly string[] => [
  ...options.flatMap(optionOf),
  choices.length > 0 ? quoted(`1: :(${choices.join(' ')})`) : quoted('*: :_files'),
];

function optionOf({ long, short, description, value }: CompletableOption): readonly string[] {
  // A bracket would end the description.
  const said = `[${description.replace(/[[\]]/g, '\\$&')}]${VALUES[value.sort]}${value.sort === 'choices' ? `(${value.choices.join(' ')})` : ''}`;
  const flags = [
    `--${long}${value.sort === 'none' ? '' : '='}`,
    ...(short === undefined ? [] : [`-${short}${value.sort === 'none' ? '' : '+'}`]),
  ];
  // Any option may be given again: many are repeatable.
  return flags.map((flag) => quoted(`*${flag}${said}`));
}

const VALUES = { none: '', text: ': : ', file: ': :_files', choices: ': :' } as const;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
