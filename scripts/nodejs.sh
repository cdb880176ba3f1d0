#!/usr/bin/env bash
# Makes node_modules/.bin/node, which npm and npx find first, a Node that package.json's `engines` allow: the one that runs this or, when it is
# older, the one of tools/nodejs, which npm fetches. Part of `npm ci`; prints nothing when nothing is to be done.
set -euo pipefail
cd "$(dirname "$0")/.."

# Whether a Node is new enough; not when it cannot start.
allowed() {
  "$1" -e '
    const [, ...wanted] = /(\d+)\.(\d+)/.exec(require("./package.json").engines.node).map(Number);
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > wanted[0] || (major === wanted[0] && minor >= wanted[1]) ? 0 : 1)' 2>/dev/null
}

own=node_modules/.bin/node
! allowed "$own" || exit 0
found=$(node -p process.execPath)
if ! allowed "$found"; then
  made=node_modules/.nodejs
  echo "setup: $(node -v) is older than this project needs: fetching a newer Node for it alone (tools/nodejs)" >&2
  mkdir -p "$made"
  cp tools/nodejs/package.json tools/nodejs/package-lock.json "$made"
  npm ci --prefix "$made" --no-audit --no-fund --loglevel=error >/dev/null
  found=$(echo "$PWD/$made"/node_modules/node-*/bin/node)
  allowed "$found" || { echo "setup: npm has no Node for this machine. Install one that is $(node -p 'require("./package.json").engines.node'), and run this again." >&2; exit 1; }
  rm -rf "$made"/node_modules/node-*/{include,share}
  found=../.nodejs/${found#"$PWD/$made/"}
fi
mkdir -p node_modules/.bin
ln -sfn "$found" "$own"
