import type { Probe } from '../../src/constructs/index.ts';
import { anyMaster } from './commands.ts';
import type { AlluxioPlan } from './plan.ts';

/**
 * A shell function for a pod: `web /path` prints what a web port of the pod answers, in milliseconds, while a command starts a Java virtual
 * machine. It fails where there is no such port or page. In bash alone, since images may have no curl. To HTTP 1.0 an answer comes whole.
 */
export const webAt = (port: number): string => `at=127.0.0.1
web() {
  timeout 10 bash -c '
    exec 3<> "/dev/tcp/$3/$0" && printf "GET %s HTTP/1.0\\r\\nConnection: close\\r\\n\\r\\n" "$1" >&3 || exit
    IFS= read -r line <&3
    [[ $line == HTTP/*" 200 "* ]] || exit
    until [[ $line == "$2" ]]; do IFS= read -r line <&3 || exit; done
    exec cat <&3' ${port} "$1" $'\\r' "$at" 2> /dev/null
}`;

export const web = ({ ports }: Pick<AlluxioPlan, 'ports'>): string => webAt(ports.masterWeb);

/**
 * Only the leading one of several masters serves pages: the others accept a connection and close it. All are asked at once, since one whose
 * node is gone does not answer for seconds; the first answer counts.
 */
export const webOfLeader = (plan: Pick<AlluxioPlan, 'ports' | 'masters'>): string =>
  plan.masters.length === 1
    ? web(plan)
    : `${web(plan)}
at=$({ for at in ${plan.masters.join(' ')}; do { web /api/v1/master/webui_init > /dev/null && echo "$at"; } & done; } 2> /dev/null | head -n 1)`;

/** The only master leads, without a question. */
export const leader: Probe<AlluxioPlan, string | undefined> = {
  commands: (plan) => (plan.masters.length === 1 ? [] : [anyMaster(plan, ['bash', '-c', `${webOfLeader(plan)}\nprintf '%s\\n' "$at"`])]),
  parse: ([answers], { masters }) => (masters.length === 1 ? masters[0] : masters.find((name) => answers?.[0]?.trim() === name)),
};

/** The few metrics that are read, of some 50 KB of a master's. */
export const WEB_METRICS = `web /metrics/json/ | tr -d '[:space:]' | grep -oE '"Cluster[.](BytesRead|Capacity)[A-Za-z]*":[{]"(count|value)":[0-9.E+]+'`;

/** Names of plain settings are constants: no user writes them. */
export const webSetting = (key: string): string => `web /api/v1/master/info | sed -n 's/.*"${key}":"\\([^"\\\\]*\\)".*/\\1/p'`;

/** All that a master says of itself: what is secret is masked as in its commands. An exec takes no more than a megabyte. */
export const WEB_MASTER = `info=$(web /api/v1/master/info)
[[ $info == *'"mountPoints":'* && \${#info} -lt 1000000 ]] && printf '%s\\n' "$info" && exit`;
