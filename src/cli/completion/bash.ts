import type { Completable, CompletableOption } from './tree.ts';

/** For bash 3.2 and newer, without the package bash-completion. What it does not know, bash completes as names of files. */
export function bashScript(commands: readonly Completable[]): string {
  const values = commands.flatMap(({ name, options }) => options.flatMap((option) => valueCase(name, option)));
  const words = commands.flatMap(({ name, options, choices }) => [
    `'${name} -'*) words='${options.flatMap(flagsOf).join(' ')}' ;;`,
    ...(choices.length > 0 ? [`'${name} '*) words='${choices.join(' ')}' ;;`] : []),
  ]);
  return `# bash completion of sluice; sluice completion --help says how to use it
_sluice() {
  local IFS=$' \\t\\n' current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command= words= i
  # An equals sign is a word of its own: --output=json.
  if [ "$current" = = ]; then current=; elif [ "$previous" = = ]; then previous="\${COMP_WORDS[COMP_CWORD - 2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) ;; *) command="\${COMP_WORDS[i]}"; break ;; esac
  done
  case "$command $previous" in
    ${values.join('\n    ')}
    *) case "$command $current" in
      ' -'*) words='--help --version' ;;
      ' '*) words='${commands.map(({ name }) => name).join(' ')}' ;;
      ${words.join('\n      ')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _sluice sluice kubectl-sluice
`;
}

const flagsOf = ({ long, short }: CompletableOption): readonly string[] => [`--${long}`, ...(short === undefined ? [] : [`-${short}`])];

/** After an option that takes a value. One that is no choice has no words here. */
function valueCase(command: string, option: CompletableOption): readonly string[] {
  if (option.value.sort === 'none') return [];
  const patterns = flagsOf(option).map((flag) => `'${command} ${flag}'`);
  return [`${patterns.join('|')}) words='${option.value.sort === 'choices' ? option.value.choices.join(' ') : ''}' ;;`];
}
