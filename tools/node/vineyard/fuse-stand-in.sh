#!/bin/sh
# A stand-in for the program in Vineyard's fuse pods, for tests: it has the variables and the files of that, and looks every second. It
# starts no server of its own, whatever SIZE says.
set -eu

server=$MOUNT_DIR/vineyard-worker.sock
mkdir -p "$FUSE_DIR"
trap 'exit 0' TERM

until [ -e "$PRESTOP_MARKER" ]; do
  # Clients look for a name, which leads to the socket of the server that runs now.
  if [ ! -S "$server" ]; then
    rm -f "$FUSE_DIR/vineyard-worker.sock"
  elif [ ! "$FUSE_DIR/vineyard-worker.sock" -ef "$server" ]; then
    ln -f "$server" "$FUSE_DIR/vineyard-worker.sock"
  fi
  {
    echo 'Vineyard:'
    echo '  IPCSocket: vineyard-worker.sock'
    echo "  RPCEndpoint: $(cat "$RPC_CONF_DIR/VINEYARD_RPC_ENDPOINT")"
  } >"$FUSE_DIR/.config" && mv "$FUSE_DIR/.config" "$FUSE_DIR/vineyard-config.yaml"
  sleep 1 &
  wait $!
done
