#!/usr/bin/env bash
# Installs what `npm run demo -- --real` and `npm test` need: node_modules, the programs of the test control plane, and as root on Linux what a real
# node runs: Debian packages and programs. As root it first lists what it will install. It does and prints nothing when nothing is missing.
# With `packages`, node_modules alone, which is all that `npm run demo` needs. With `--demo`, for `npm run demo -- --real`: announces that, and
# installs Go; the demo builds the rest in its own order, and calls this with `--debian` for the packages. Needs bash, npm and Node 20 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/node_modules/.bin:$PATH"

# A lock file that is newer may be unchanged: the versions that it names decide.
installed() {
  [ -e node_modules/.package-lock.json ] || return 1
  [ package-lock.json -nt node_modules/.package-lock.json ] || return 0
  node -e '
    const packages = (file) => JSON.parse(require("fs").readFileSync(file)).packages;
    const wanted = packages("package-lock.json"), found = packages("node_modules/.package-lock.json");
    const missing = Object.entries(wanted).filter(([path, { version, optional }]) =>
      path !== "" && found[path]?.version !== version && !(optional && found[path] === undefined));
    process.exit(missing.length === 0 ? 0 : 1);'
}

# Two at once would remove each other's node_modules. The kernel holds the lock until this shell and its npm have ended, however they end. Where
# there is no flock, as on macOS, there is no lock.
install_modules() (
  mkdir -p build
  exec 9>build/setup.lock
  if command -v flock >/dev/null; then
    flock --nonblock 9 || { echo 'setup: waiting for another set-up, which installs the packages'; flock 9; }
  fi
  # Another process may have installed them meanwhile.
  ! installed || exit 0
  echo "setup: installing the packages of package-lock.json into node_modules (npm ci)"
  npm ci --no-audit --no-fund --loglevel=error --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=10000 >/dev/null || {
    echo "setup: npm ci failed, as it says above. Run this again: npm keeps what it has downloaded." >&2
    free=$(($(df -Pk . | awk 'NR == 2 { print $4 }') / 1024))
    [ "$free" -ge 400 ] || echo "setup: this disk has $free MB free; the packages take 260, and on an old Node 120 more" >&2
    exit 1
  }
)

installed || install_modules
bash scripts/nodejs.sh

[ "${1-}" != packages ] || exit 0

# What the test node needs from Debian, as lines of `file package`, and for whom if not for all. The files from busybox on are copied into images of
# its pods.
node_files() {
  cat <<'TEXT'
/usr/bin/containerd containerd
/usr/sbin/runc runc
/usr/lib/cni/bridge containernetworking-plugins
/usr/sbin/nft nftables
/usr/sbin/ip iproute2
/bin/busybox busybox-static
/usr/bin/fusermount3 fuse3
/usr/bin/s3fs s3fs
/usr/bin/sshfs sshfs
/usr/sbin/sshd openssh-server
/usr/bin/python3 python3
/usr/bin/pip3 python3-pip
/usr/bin/redis-check-rdb redis-tools
/usr/sbin/mfsmaster moosefs-master tests
/usr/sbin/mfschunkserver moosefs-chunkserver tests
/usr/bin/mfsmount moosefs-client tests
/usr/bin/mfscli moosefs-cli tests
/usr/sbin/glusterd glusterfs-server tests
/usr/bin/qemu-aarch64-static qemu-user-static tests
/usr/bin/zsh zsh tests
/usr/bin/fish fish tests
/usr/bin/chromium chromium tests
/usr/share/fonts/opentype/inter/Inter-Regular.otf fonts-inter tests
/usr/share/fonts/truetype/wqy/wqy-microhei.ttc fonts-wqy-microhei tests
/etc/java-17-openjdk/security/java.security openjdk-17-jre-headless alluxio
/usr/bin/mvn maven alluxio
TEXT
}

# The Debian packages that are missing. Empty elsewhere: there the node's tests say what is missing and are skipped.
missing_node_packages() {
  if [ "$(uname -s)" != Linux ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || [ ! -e /etc/debian_version ]; then return 0; fi
  local without='' file package whose
  case " $* " in
    *" --simulated "*) return 0 ;;
    *" --alluxio "*) without='tests' ;;
    *" --demo "* | *" --debian "*) without='tests alluxio' ;;
  esac
  while read -r file package whose; do
    [ -e "$file" ] || [[ -n "$whose" && " $without " == *" $whose "* ]] || echo "$package"
  done < <(node_files)
}

# As root, what will be installed on the machine, before any of it is. Sizes of packages are apt's own, if it has their lists by now.
announce() {
  [ "$(id -u)" = 0 ] || return 0
  local plan size
  plan=$(node scripts/tools.ts --plan "$@")
  [ "${#packages[@]}" -gt 0 ] || [ -n "$plan" ] || return 0
  echo "setup: the tests and the demo need what this machine lacks. As root, setup installs, once:"
  if [ "${#packages[@]}" -gt 0 ]; then
    size=$(LC_ALL=C apt-get install --no-install-recommends --assume-no "${packages[@]}" 2>/dev/null | sed -nE 's/^After this operation, (.*) of additional.*/, \1 on disk/p' || true)
    echo "  - ${#packages[@]} Debian packages and what they depend on$size: ${packages[*]}"
  fi
  [ -z "$plan" ] || sed 's/^/  - /' <<<"$plan"
  echo "setup: no daemon of these is started, now or at boot: only the tests start them. Ctrl-C ends setup."
}

install_node_packages() (
  [ "${#packages[@]}" -gt 0 ] || exit 0
  echo "setup: installing Debian packages (apt-get install)"
  apt-get -qq update || true
  # Of a list with one unknown name apt installs nothing, and another Debian than 12 lacks some, such as Java 17.
  local known=() unknown=() package
  for package in "${packages[@]}"; do
    if apt-cache show "$package" >/dev/null 2>&1; then known+=("$package"); else unknown+=("$package"); fi
  done
  if [ "${#known[@]}" -gt 0 ] && [ "${#unknown[@]}" -gt 0 ]; then
    echo "setup: this machine's sources have no ${unknown[*]}: the tests that need these are skipped, and say so" >&2
    packages=("${known[@]}")
  fi
  # Only the tests run these daemons, never the machine: policy-rc.d is Debian's way to say so.
  local policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    # However this shell ends.
    trap "rm -f '$policy'" EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  # Killed while it worked, dpkg refuses to go on until this is done.
  if [ -n "$(ls -A /var/lib/dpkg/updates 2>/dev/null)" ]; then dpkg --configure -a >/dev/null || true; fi
  said=$(DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "${packages[@]}" 2>&1 >/dev/null) || {
    grep '^E:' <<<"$said" | head -n 5 >&2 || true
    echo "setup: apt-get install failed: the tests on a real node are skipped, and say what is missing. Everything else works." >&2
  }
)

# The highest golang-1.N-go of these apt sources that can build the tools (1.21 and newer fetch the Go that they lack), if any.
packaged_go() {
  apt-cache "$@" search --names-only '^golang-1\.[0-9]+-go$' | sed -E 's/^golang-1\.([0-9]+)-go .*/\1/' | sort -rn |
    while read -r minor; do if [ "$minor" -ge 21 ]; then echo "golang-1.$minor-go"; break; fi; done
}

# The site from which this machine has the suite bookworm.
debian_site() {
  apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^bookworm //p' | head -n 1
}

# As root on Debian: from the configured sources, else from bookworm-backports, which is used this once and not added to the sources.
install_go() (
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then exit 1; fi
  echo "setup: looking for Go in the Debian sources (apt-get update)"
  apt-get -qq update || true
  # Go fetches its modules over TLS and trusts the system's authorities.
  [ -e /etc/ssl/certs/ca-certificates.crt ] || DEBIAN_FRONTEND=noninteractive apt-get -qq install -y ca-certificates >/dev/null || true
  local package source site options=()
  package=$(packaged_go)
  site=$(debian_site)
  if [ -z "$package" ] && [ -n "$site" ]; then
    source=$(mktemp -d)
    trap "rm -rf '$source'" EXIT
    mkdir -p "$source/lists/partial"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site bookworm-backports main" >"$source/sources.list"
    options=(-o "Dir::Etc::SourceList=$source/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$source/lists")
    apt-get "${options[@]}" -qq update || exit 1
    package=$(packaged_go "${options[@]}")
  fi
  [ -n "$package" ] || exit 1
  echo "setup: installing $package (apt-get install)"
  DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" -qq install -y --no-install-recommends "$package" >/dev/null
)

name_go() {
  cat >&2 <<'TEXT'
setup: the test control plane is built with Go 1.26 or newer (1.21 or newer can fetch that itself); this machine has none.
Either

  - unpack the archive of Go for this machine into /usr/local/go, or
  - on Debian 12, run this again as root, or add bookworm-backports to the apt sources, then
      apt-get update && apt-get install -y golang-1.23-go

and run this again. With KUBEBUILDER_ASSETS set, only the programs missing there are built.
TEXT
}

mapfile -t packages < <(missing_node_packages "$@")
if [ "${1-}" != --debian ]; then announce "$@"; fi
if [ "${1-}" != --demo ]; then install_node_packages; fi
[ "${1-}" != --debian ] || exit 0
status=0
node scripts/tools.ts "$@" || status=$?
if [ "$status" = 3 ]; then
  install_go || { name_go; exit 1; }
  status=0
  node scripts/tools.ts "$@" || status=$?
  [ "$status" != 3 ] || name_go
fi
exit "$status"
