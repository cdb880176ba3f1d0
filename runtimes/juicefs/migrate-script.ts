import { PROGRESS_SH } from '../../src/constructs/index.ts';

/**
 * Copies data with `juicefs sync`, which reports to Prometheus while it works, and at its end says `Found: 3, …, copied: 3 (1.50 MiB), …`.
 *
 * Arguments: the URLs `from` and `to`, without keys; options of `juicefs sync`. At most one end has keys, since the other is a Dataset.
 *
 * Variables:
 * - `EDITION`: `community` or `enterprise`, which decides where juicefs is
 * - `TIMEOUT`: of a run, as `timeout` takes it: `30m`
 * - `FROM`, `TO`: what messages call the ends
 * - `URL_VARIABLE`: `from` or `to`, the name of the variable whose URL gets the keys; absent if neither has any
 * - `EXTERNAL_ACCESS_KEY`, `EXTERNAL_SECRET_KEY`, `EXTERNAL_TOKEN`: these keys, as the store gave them
 * - `FLUID_METAURL`, `FLUID_METAURL_FROM`, and those of clients of stores, such as `AWS_REGION`: for juicefs alone
 * - `SECRET_VARIABLES`: names of variables whose values are kept out of the log, separated by spaces
 * - `METRICS_PORT`: of juicefs' metrics, if `--metrics` names one; else 9567
 * - `SSH_HOSTS`: names of workers, separated by spaces; absent if one pod does all. Then `POD_IP` is the address of this pod, and `ssh.sh`
 *   reads `SSH_PORT` and `SSH_READY_TIMEOUT`, in seconds
 */
export const MIGRATE_SCRIPT = `set -eo pipefail
# PID 1 ignores a signal without a handler; its end kills all others.
trap 'exit 143' TERM
from="$1" to="$2"
shift 2
juicefs=/usr/local/bin/juicefs
[ "$EDITION" = community ] || juicefs=/usr/bin/juicefs
fail() { echo "$1" >&2; exit 1; }

# So that "/", "+", "@" and "%" of a key separate nothing.
escaped() {
  local LC_ALL=C text="$1" byte out= i
  for ((i = 0; i < \${#text}; i++)); do
    byte=\${text:i:1}
    case $byte in [a-zA-Z0-9._~-]) ;; *) printf -v byte %%%02X "'$byte" ;; esac
    out+=$byte
  done
  printf %s "$out"
}

# juicefs takes the token as it is; for SFTP it takes everything as it is.
keys() {
  if [[ "$1" == sftp://* ]]; then
    [[ $EXTERNAL_ACCESS_KEY$EXTERNAL_SECRET_KEY != *[:@]* ]] || fail 'juicefs sync takes no ":" and no "@" in a key for SFTP'
    printf %s "$EXTERNAL_ACCESS_KEY:$EXTERNAL_SECRET_KEY"
  else
    printf %s "$(escaped "$EXTERNAL_ACCESS_KEY"):$(escaped "$EXTERNAL_SECRET_KEY")\${EXTERNAL_TOKEN:+:$EXTERNAL_TOKEN}"
  fi
}
if [ "\${URL_VARIABLE-}" ]; then
  user=$(keys "\${!URL_VARIABLE}")
  printf -v "$URL_VARIABLE" %s "\${!URL_VARIABLE%%://*}://$user@\${!URL_VARIABLE#*://}"
fi

# How a Secret may be printed: whole in a URL, line by line, and of a URL its password, which ends at one "@" or another.
printed() {
  local line user
  escaped "$1"
  echo
  while IFS= read -r line; do
    line=\${line%"\${line##*[![:space:]]}"}
    printf '%s\\n' "$line" "$(escaped "$line")"
    [[ $line == *://*:*@* ]] || continue
    line=\${line#*://}
    for user in "\${line%@*}" "\${line%%@*}"; do
      user=\${user#*:}
      printf '%s\\n' "$user"
      user=\${user//\\\\/\\\\\\\\}
      printf '%b\\n' "\${user//'%'/\\\\x}"
    done
  done < <(printf '%s\\n' "$1")
}
# The longest is masked first, since it may have another in it. A shorter one is no secret, and may be in any word.
mapfile -t secrets < <(
  for name in $SECRET_VARIABLES; do printed "\${!name}"; done |
    while IFS= read -r line; do if [ "\${#line}" -ge 4 ]; then printf '%s %s\\n' "\${#line}" "$line"; fi; done |
    LC_ALL=C sort -rn | uniq | cut -d ' ' -f 2-
)
masked() {
  local line secret
  while IFS= read -r line || [ "$line" ]; do
    for secret in "\${secrets[@]}"; do line=\${line//"$secret"/****}; done
    printf '%s\\n' "$line"
    if [[ $line == *'Found: '* ]]; then printf '%s\\n' "$line" > /tmp/progress.found; fi
  done
}

${PROGRESS_SH}
size() {
  local bytes="$1" units=(B KiB MiB GiB TiB PiB) i=0 n
  n=$((bytes * 100))
  while [ "$n" -ge 102400 ] && [ "$i" -lt 5 ]; do n=$((n / 1024)) i=$((i + 1)); done
  if [ "$i" = 0 ]; then echo "$bytes B"; else printf '%d.%02d %s\\n' $((n / 100)) $((n % 100)) "\${units[i]}"; fi
}
metrics() {
  exec 3<> "/dev/tcp/127.0.0.1/\${METRICS_PORT:-9567}" || return
  printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3
  timeout 5 cat <&3
}
figure() {
  local line
  line=$(grep -m 1 "^juicefs_sync_$1[{ ]" <<< "$said") && printf %.0f "\${line##* }"
}
follow() {
  local said handled found copied elapsed before=0 at=$SECONDS
  while sleep 5; do
    said=$(metrics 2> /dev/null) && handled=$(figure handled) && found=$(figure scanned) && copied=$(figure copied_bytes) || continue
    elapsed=$((SECONDS - at))
    write_progress "Progress=$handled of $found files" "Files=$handled of $found" "Bytes=$(size "$copied")" \\
      "Rate=$(size $(((copied - before) / (elapsed > 0 ? elapsed : 1))))/s"
    before=$copied at=$SECONDS
  done
}

# Attempts that died, and workers, leave unfinished files in the target, and in the source if it was a target before. The root of a mount also
# shows files of juicefs itself.
unfinished='.jfs.*.tmp.[0-9]*'
excluded=("--exclude=$unfinished")
while read -r _ point type _; do
  if [ "$type" = fuse.juicefs ] && [ "file://$point/" = "$from" ]; then
    for name in accesslog config stats trash; do excluded+=("--exclude=/.$name" "--exclude=/.jfs.$name"); done
  fi
done < /proc/self/mounts

cluster=()
if [ "\${SSH_HOSTS-}" ]; then
  echo "waiting for $SSH_HOSTS"
  IFS=' ' read -r -a hosts <<< "$SSH_HOSTS"
  bash "\${0%/*}/ssh.sh" "\${hosts[@]}" & wait $!
  case $POD_IP in *:*) address="[$POD_IP]:0" ;; *) address=$POD_IP ;; esac
  cluster=("--worker=\${SSH_HOSTS// /,}" "--manager-addr=$address")
fi
# What is not in the environment of juicefs is not in that of what it starts.
unset EXTERNAL_ACCESS_KEY EXTERNAL_SECRET_KEY EXTERNAL_TOKEN
sync() { timeout "$TIMEOUT" "$juicefs" sync "$@" 2>&1 < /dev/null | masked; }
echo "from $FROM to $TO"
rm -f /tmp/progress.found
follow > /dev/null 2>&1 & follower=$!
sync "\${cluster[@]}" "$from" "$to" "\${excluded[@]}" "$@" &
code=0
wait $! || code=$?
kill "$follower" || :
wait "$follower" 2> /dev/null || :
case $code in
  0) ;;
  124) fail "from $FROM to $TO: juicefs sync did not end within $TIMEOUT" ;;
  *) fail "from $FROM to $TO: juicefs sync failed with exit code $code" ;;
esac
last=$(cat /tmp/progress.found 2> /dev/null || :)
[[ $last =~ Found:\\ ([0-9]+) ]] || exit 0
found=\${BASH_REMATCH[1]} bytes= copied= skipped=
if [[ $last =~ copied:\\ ([0-9]+)\\ \\(([^\\)]*)\\) ]]; then copied=\${BASH_REMATCH[1]} bytes=\${BASH_REMATCH[2]}; fi
if [[ $last =~ skipped:\\ ([0-9]+) ]]; then skipped=\${BASH_REMATCH[1]}; fi
# Version 1.3 counts as found what only the target has.
if [ "$copied" ] && [ "$skipped" ]; then found=$((copied + skipped)); fi

# Of a file system, juicefs takes what does not exist for an empty directory, unless directories count.
if [ "$found" = 0 ] && [[ $from == jfs://* || $from == file://* ]]; then
  rm -f /tmp/progress.found
  said=$(sync --dry --dirs --limit=1 "$from" "$to") || code=$?
  if ! grep -qs 'Found: [1-9]' /tmp/progress.found; then
    if [ "$code" = 0 ] && [ -e /tmp/progress.found ]; then fail "$FROM does not exist"; fi
    printf '%s\\n' "$said"
    fail "cannot list $FROM"
  fi
fi
# An option that juicefs has since 1.3; and a dry run removes nothing.
options=$("$juicefs" sync --help 2> /dev/null || :)
if [[ $to == @(jfs|file)://* && " $* " != *' --dry'* && $options == *--end-time* ]] && { [ "\${SSH_HOSTS-}" ] || [[ $last =~ excluded:\\ [1-9] ]]; }; then
  ended=$(date '+%Y-%m-%d %H:%M:%S')
  # Another migration into this target still writes its unfinished files, so these are younger.
  sleep 10
  sync --delete-dst --existing "--end-time=$ended" --match-full-path "--include=$unfinished" "--include=**/$unfinished" '--exclude=**' "$from" "$to" > /tmp/cleaned ||
    { cat /tmp/cleaned; echo "unfinished files in $TO could not be removed"; }
fi
write_progress "Progress=$found of $found files" "Files=$found of $found" "Bytes=$bytes" "Copied=$copied" "Skipped=$skipped"
cat /tmp/progress > /dev/termination-log
`;
