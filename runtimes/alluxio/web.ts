/**
 * A shell function for a pod: `web /path` prints what the master's web port answers, in milliseconds, while a command starts a Java virtual
 * machine. It fails where there is no such port or page. In bash alone, since images may have no curl. To HTTP 1.0 an answer comes whole.
 */
export const web = (port: number): string => `web() {
  timeout 10 bash -c '
    exec 3<> "/dev/tcp/127.0.0.1/$0" && printf "GET %s HTTP/1.0\\r\\nConnection: close\\r\\n\\r\\n" "$1" >&3 || exit
    IFS= read -r line <&3
    [[ $line == HTTP/*" 200 "* ]] || exit
    until [[ $line == "$2" ]]; do IFS= read -r line <&3 || exit; done
    exec cat <&3' ${port} "$1" $'\\r' 2> /dev/null
}`;

/** Of a master's metrics, which are some 50 KB, the few that are read. */
export const WEB_METRICS = `web /metrics/json/ | tr -d '[:space:]' | grep -oE '"Cluster[.](BytesRead|Capacity)[A-Za-z]*":[{]"(count|value)":[0-9.E+]+'`;

/** Names of plain settings are constants: no user writes them. */
export const webSetting = (key: string): string => `web /api/v1/master/info | sed -n 's/.*"${key}":"\\([^"\\\\]*\\)".*/\\1/p'`;

/** All that a master says of itself: what is secret is masked as in its commands. An exec takes no more than a megabyte. */
export const WEB_MASTER = `info=$(web /api/v1/master/info)
[[ $info == *'"mountPoints":'* && \${#info} -lt 1000000 ]] && printf '%s\\n' "$info" && exit`;
