import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { range } from './lab.ts';
import { quantile } from './statistics.ts';

/** The present cost of the parts of a publication on this machine; ms, p50. All figures of the plugin depend on these. */
export interface Bare {
  /** A program that does nothing, started by a small shell. */
  readonly child: number;
  /** mount(8) of one bind mount, started by a small shell. */
  readonly bind: number;
  /** umount(8) of it. */
  readonly unbind: number;
}

/** A shell in the mount namespace of a process, which runs one line after the other. */
export function openShell(pid: number) {
  const shell = spawn('nsenter', ['-t', String(pid), '-m', '--', '/bin/sh'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** How long the line took, ms. */
    run(line: string): Promise<number> {
      const mine = last.then(async () => {
        const began = performance.now();
        shell.stdin.write(`{ ${line}; } </dev/null; echo\n`);
        await once(shell.stdout, 'data');
        return performance.now() - began;
      });
      last = mine;
      return mine;
    },
    close: () => void shell.stdin.end(),
  };
}

/** The directory is bound to itself, in the mount namespace of the process. */
export async function bareCosts(pid: number, directory: string, runs: number): Promise<Bare> {
  const { run, close } = openShell(pid);
  const times: { readonly [name in keyof Bare]: number[] } = { child: [], bind: [], unbind: [] };
  await run(`mkdir -p '${directory}'`);
  for (const _ of range(runs)) {
    times.child.push(await run('/bin/true'));
    times.bind.push(await run(`mount -c --bind '${directory}' '${directory}'`));
    times.unbind.push(await run(`umount -c '${directory}'`));
  }
  close();
  return { child: quantile(times.child, 0.5), bind: quantile(times.bind, 0.5), unbind: quantile(times.unbind, 0.5) };
}
