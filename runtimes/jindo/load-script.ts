import { PROGRESS_FILE, PROGRESS_SH } from '../../src/constructs/index.ts';

/** Arguments: the command that loads, `--`, then paths, each followed by its number of copies. */
export const LOAD_SCRIPT = `set -e
load=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do load+=("$1"); shift; done
shift
total=$(($# / 2)) done=0
${PROGRESS_SH}
report() { write_progress "Progress=$done of $total paths" "$@"; }

is() { [ "\${!1-}" = true ]; }
if is NEED_LOAD_METADATA || is LOAD_METADATA_ONLY; then load+=(-meta); fi
if ! is LOAD_METADATA_ONLY; then load+=(-data); fi
if is ENABLE_ATOMIC_CACHE; then load+=(-atomic); fi
if is LOAD_MEMORY_DATA; then load+=(-m); fi
if is DRY_RUN_ENABLE; then load+=(-dryrun); fi
if is FORCE_LOAD_ENABLE; then load+=(-f); fi
filter=()
if [ "\${CACHE_FILTER-}" ]; then filter=(-filter "$CACHE_FILTER" -thread "$CACHE_LIST_THREAD"); fi

# All paths first: what is wrong with one of them shows before hours of loading others.
for ((i = 1; i <= $#; i += 2)); do
  said=$(timeout 30 jindo fs -ls "jindo://\${!i}" 2>&1) && [[ $said != *'No such file or directory'* ]] ||
    { echo "path \${!i} does not exist in the Dataset, or Jindo did not answer" >&2; exit 1; }
done
while [ $# -gt 0 ]; do
  echo "loading $1"
  report "Step=loading $1"
  "\${load[@]}" -s -R -replica "$2" "\${filter[@]}" "jindo://$1" || { echo "path $1 was not loaded" >&2; exit 1; }
  done=$((done + 1))
  shift 2
done
report
cat ${PROGRESS_FILE} > /dev/termination-log
`;
