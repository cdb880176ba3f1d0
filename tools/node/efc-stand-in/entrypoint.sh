#!/bin/sh
# A stand-in for EFC in tests: the words by which its containers are started and stopped. A session manager is an empty file at the place
# of its socket, a file system a tmpfs with the name of EFC's type as its source. EFC's own protocol, cache and speed are not in it.
set -eu

socket=/var/run/efc/sessmgrd.sock
forever() { while :; do sleep 1 & wait $!; done; }

case $1 in
  init_fuse) ;;
  sessmgr)
    trap 'rm -f "$socket"; exit 0' TERM
    : >"$socket"
    forever
    ;;
  # The probe of a master looks for this name among the processes.
  master) exec sh -c 'trap "exit 0" TERM; while :; do sleep 1 & wait $!; done' master.py ;;
  worker)
    trap 'exit 0' TERM
    forever
    ;;
  fuse)
    [ -e "$socket" ] || { echo "no session manager on this node" >&2; exit 1; }
    trap 'exit 0' TERM
    mkdir -p "$3"
    mount -t tmpfs alifuse.aliyun-alinas-efc "$3"
    echo "$2" >"$3/address"
    # What it knows of the workers, for those who read.
    while :; do
      cp /etc/efc/efc-worker-endpoints.json "$3/.workers" && mv "$3/.workers" "$3/workers"
      sleep 0.2 & wait $!
    done
    ;;
  stop_fuse) umount -l "$2" ;;
  stop_master | stop_sessmgr) ;;
  *) echo "unknown: $1" >&2; exit 1 ;;
esac
