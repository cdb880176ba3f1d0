#!/bin/bash
# The entry point of test images of Alluxio, with the arguments of that of its own image.
#   entrypoint.sh master-only|worker-only [--no-format] | job-master | job-worker | proxy
#   entrypoint.sh fuse [--fuse-opts=OPTION,...] MOUNTPOINT [PATH-IN-ALLUXIO]
set -e
what=$1
shift
case $what in
master-only | worker-only) exec alluxio "${what%-only}" ;;
job-master | job-worker | proxy) exec alluxio "$what" ;;
fuse)
  arguments=()
  if [[ $1 == --fuse-opts=* ]]; then
    arguments=(-o "${1#--fuse-opts=}")
    shift
  fi
  # A client that was killed leaves its mount.
  umount -l "$1" 2>/dev/null || true
  mkdir -p "$1"
  exec alluxio fuse "-Dalluxio.fuse.mount.alluxio.path=${2:-/}" alluxio.fuse.AlluxioFuse -m "$1" "${arguments[@]}"
  ;;
*) echo "entrypoint.sh: no $what in test images" >&2 && exit 1 ;;
esac
