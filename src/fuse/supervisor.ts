/** The parts of a script that are the same for all clients. */

export const HEAD = `#!/bin/sh
# Made by \`sluice fuse-config\` from config.json. No secret is in it.
set -eu
# Takes away what a client that died has left mounted. Only the table of mounts is read: a path that hangs is not looked at.
detach() {
  stale=0
  while read -r _ _ _ _ at _; do [ "$at" != "$1" ] || stale=$((stale + 1)); done < /proc/self/mountinfo
  while [ "$stale" -gt 0 ]; do
    umount -l "$2"
    stale=$((stale - 1))
  done
}`;

/** Needs a function \`clients\` that calls its argument for each client: with the client's function, and its target twice. */
export const SUPERVISOR = `# Runs a client for as long as it is wanted: one that ends takes no other with it.
keep() {
  pid='' pause=1 stopping=''
  # Once: a client that is told again may give up what it still writes.
  trap '[ -n "$stopping" ] || { stopping=yes; kill -s TERM $pid 2>/dev/null || :; }' TERM INT
  while [ -z "$stopping" ]; do
    "$1" 3<&- &
    pid=$!
    [ -z "$stopping" ] || kill -s TERM "$pid" 2>/dev/null || :
    wait "$pid" || :
    [ -n "$stopping" ] || {
      echo "sluice: the client of $3 ended, and starts again in $pause s" >&2
      sleep "$pause" 3<&- &
      pid=$!
      [ -z "$stopping" ] || kill -s KILL "$pid" 2>/dev/null || :
      wait "$pid" || :
      [ "$pause" -ge 32 ] || pause=$((pause * 2))
    }
  done
  # One that hangs is not waited for; its mount is taken away all the same.
  (sleep 10 && kill -s KILL "$pid") > /dev/null 2>&1 3<&- &
  while kill -0 "$pid" 2>/dev/null; do wait "$pid" || :; done
  kill -s KILL "$!" 2>/dev/null || :
  detach "$2" "$3"
}
running='' stopped=''
trap 'stopped=yes; stop; wake' TERM INT
wake() { :; }
# A shell that has just been forked still has the traps of this one, and forgets a signal: it is sent again.
stop() {
  # A trap calls it in the middle of any other loop: its variable is its own, and $! stays as it is.
  for signalled in $running; do
    signalled=\${signalled#*:}
    kill -s TERM "$signalled" 2>/dev/null || continue
    ( (while sleep 1; do kill -s TERM "$signalled" || break; done) > /dev/null 2>&1 3<&- & )
  done
}
ended() {
  for client in $1; do
    while kill -0 "\${client#*:}" 2>/dev/null; do wait "\${client#*:}" || :; done
  done
}
# Ends what is not wanted any more, and only then begins what is new: it may be for the same place.
align() {
  wanted=' '
  clients want
  staying='' leaving=''
  for client in $running; do
    case "$wanted" in
      *" \${client%:*} "*) staying="$staying $client" ;;
      *) leaving="$leaving $client" ;;
    esac
  done
  running=$leaving
  stop
  ended "$leaving"
  running=$staying
  clients begin
}
want() {
  wanted="$wanted$1 "
}
begin() {
  case "$stopped $running " in
    *" $1:"* | yes*) ;;
    *)
      keep "$@" &
      running="$running $1:$!"
      ;;
  esac
}`;

/** A process that was started while the signal came has not received it. */
const ENDED = `[ -z "$stopped" ] || stop
ended "$running"`;

export const UNTIL_ENDED = `align
${ENDED}`;

/** \`reading\` is the line that reads the clients, \`news\` the path of a FIFO: each line in it is a reason to read them again. */
export const untilNews = (reading: string, news: string): string => `[ -p ${news} ] || mkfifo -m 622 ${news}
# Open for both, so that no news is lost between two readings.
exec 3<> ${news}
wake() { echo >&3; }
while [ -z "$stopped" ]; do
  ${reading}
  align
  read -r _ <&3 &
  wait "$!" || :
done
${ENDED}`;
