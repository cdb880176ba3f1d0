import { PROGRESS_SH } from '../../src/constructs/index.ts';

/** Arguments: paths in the pods of the workers, `--`, options of `juicefs warmup`. */
export const LOAD_SCRIPT = `set -eo pipefail
paths=()
while [ "$1" != -- ]; do paths+=("$1"); shift; done
shift
# Names of the pods whose client is ready, each followed by ":".
ready() {
  kubectl -n "$POD_NAMESPACE" get pods -l "$1" --field-selector status.phase=Running \\
    -o 'jsonpath={range .items[?(@.status.containerStatuses[0].ready==true)]}{.metadata.name}:{end}'
}
if [ "\${WORKERS-}" ]; then
  POD_NAMES=$(ready "$WORKERS")
  if [ "$EDITION" = enterprise ]; then POD_NAMES=\${POD_NAMES%%:*}; fi
fi
IFS=: read -r -a pods <<< "$POD_NAMES"
readers=()
if [ "\${READERS-}" ]; then
  names=$(ready "$READERS")
  IFS=: read -r -a readers <<< "$names"
fi
# Clients in pods of users, each as <pod>/<container>: the webhook's labels say in which container which Dataset is mounted.
aside=()
if [ "\${SIDECARS-}" ]; then
  labels=$(kubectl -n "$POD_NAMESPACE" get pods -l "$SIDECARS" --field-selector status.phase=Running \\
    -o 'go-template={{range .items}}{{$pod := .metadata.name}}{{range $key, $value := .metadata.labels}}{{$pod}} {{$key}} {{$value}}{{"\\n"}}{{end}}{{end}}')
  while read -r pod key value; do
    if [[ $key == "$SIDECAR_LABEL"* && $value == "$DATASET" ]]; then aside+=("$pod/\${key##*/}"); fi
  done <<< "$labels"
fi
finder=\${pods[0]-\${readers[0]-}}
[ "$finder" ] || { echo 'neither a worker nor a fuse pod is ready' >&2; exit 1; }
workers=("\${pods[@]}")
pods=()
for group in workers fuse sidecars; do
  case $group in workers) all=("\${workers[@]}") ;; fuse) all=("\${readers[@]}") ;; *) all=("\${aside[@]}") ;; esac
  for pod in "\${all[@]}"; do
    if [[ ,\${CLIENTS-$group}, == *[,]$group,* || ,\${CLIENTS-}, == *,"\${pod%%/*}",* ]]; then pods+=("$pod"); fi
  done
done
[ \${#pods[@]} -gt 0 ] || { echo "no client is ready of those that spec.options.clients names: $CLIENTS" >&2; exit 1; }
skipped=()
IFS=, read -r -a named <<< "\${CLIENTS-}"
for name in "\${named[@]}"; do
  case $name in workers | fuse | sidecars) continue ;; esac
  if [[ " \${pods[*]%%/*} " == *" $name "* ]]; then continue; fi
  echo "spec.options.clients: expected workers, fuse, sidecars or names of pods whose client is ready, found $name" >&2
  skipped+=("$name")
done
in_pod() { kubectl -n "$POD_NAMESPACE" exec "$1" -- "\${@:2}"; }
# A sidecar sees the mounts of all clients of the Dataset on its node. Its own is where that of a worker is, or, by Fluid, elsewhere.
in_sidecar() {
  kubectl -n "$POD_NAMESPACE" exec "\${1%%/*}" -c "\${1#*/}" -- sh -c "$AT_ITS_MOUNT" sh "$TIMEOUT" "$MOUNTPATH" "\${#paths[@]}" "\${paths[@]#"$MOUNTPATH"}" "\${@:2}"
}
AT_ITS_MOUNT='timeout=$1 own=$2 count=$3 mount=
shift 3
while read -r _ point type _; do [ "$type" != fuse.juicefs ] || [ "$mount" = "$own" ] || mount=$point; done < /proc/self/mounts
[ "$mount" ] || { echo "nothing is mounted yet" >&2; exit 1; }
while [ "$count" -gt 0 ]; do set -- "$@" "$mount$1"; shift; count=$((count - 1)); done
exec timeout "$timeout" juicefs warmup "$@"'

# What a pattern matches now, each followed by NUL. A path that exists is none, whatever is in it.
matches() { in_pod "$finder" timeout 60s sh -c 'IFS=; for path in $1; do [ ! -e "$path" ] || printf "%s\\0" "$path"; done' sh "$1"; }
found=()
for path in "\${paths[@]}"; do
  if in_pod "$finder" timeout 30s ls -d "$path" > /dev/null; then found+=("$path"); continue; fi
  matched=()
  if [[ $path == *[*?[]* ]]; then mapfile -d '' matched < <(matches "$path"); fi
  [ \${#matched[@]} -gt 0 ] || { echo "path \${path#"$MOUNTPATH"} does not exist in the Dataset, or pod $finder did not answer" >&2; exit 1; }
  [ \${#matched[@]} -le 1000 ] || { echo "path \${path#"$MOUNTPATH"} matches \${#matched[@]} paths: expected at most 1000; name their directory" >&2; exit 1; }
  found+=("\${matched[@]}")
done
paths=("\${found[@]}")
done=0 loaded=()
${PROGRESS_SH}
report() { write_progress "Progress=$done of \${#pods[@]} clients" "\${loaded[@]}" \${skipped[0]+"Skipped=\${skipped[*]}"} "$@"; }
# What a client says at its end: 12 files (345 bytes), or (3.4 MiB bytes).
said() { sed -nE 's/.*[^0-9]([0-9]+) files \\((.*) bytes\\).*/Files=\\1\\nBytes=\\2/p' /tmp/progress.said | tail -n 2; }
load() {
  case "$1" in
    */*) in_sidecar "$@" ;;
    *) in_pod "$1" timeout "$TIMEOUT" juicefs warmup "\${paths[@]}" "\${@:2}" ;;
  esac
}
for pod in "\${pods[@]}"; do
  echo "loading in $pod"
  report "Step=loading in $pod"
  if ! load "$pod" "$@" 2>&1 | tee /tmp/progress.said; then
    echo "pod $pod: juicefs warmup failed" >&2
    # A fuse pod goes when its last reader does, a sidecar with its pod, or their node is lost: others need not wait for it.
    [[ " \${workers[*]} " != *" $pod "* ]] || exit 1
    skipped+=("$pod")
    continue
  fi
  done=$((done + 1))
  mapfile -t loaded < <(said)
done
[ "$done" -gt 0 ] || exit 1
report
cat /tmp/progress > /dev/termination-log
`;
