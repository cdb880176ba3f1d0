import { stored, type CannedAnswer } from '../../harness/control-plane/exec-answers.ts';
import { fits } from '../../harness/control-plane/exec-replay.ts';
import { createEngines } from '../../src/playground/engines/engines.ts';
import type { ExecAnswer, ExecCall } from '../../src/playground/engines/exec-call.ts';
import { CommandTimeout, type PodExec } from '../../src/kube/exec.ts';

/** Answers of pods in memory to commands, in the form of a control plane's `exec` for simulated pods. */
export interface MemoryExec {
  readonly exec: PodExec;
  /** From now on, what fits is answered so. The newest answer that fits wins. */
  answer(canned: CannedAnswer): void;
  readonly calls: readonly ExecCall[];
}

/** @param otherwise answers what no test has an answer for. Default: the stand-ins of engines */
export function memoryExec(otherwise: PodExec = enginesExec()): MemoryExec {
  const answers: { readonly canned: CannedAnswer; left: number }[] = [];
  const calls: ExecCall[] = [];
  return {
    calls,
    answer: (canned) => void answers.unshift({ canned, left: canned.times ?? Infinity }),
    async exec(where, argv, timeoutMs, mostBytes) {
      const call = { ...where, argv, time: new Date().toISOString() };
      calls.push(call);
      const own = answers.find(({ canned, left }) => left > 0 && fits(stored(canned), call));
      if (!own) return otherwise(where, argv, timeoutMs, mostBytes);
      own.left--;
      const { stdout = '', stderr = '', exitCode = 0, delayMs = 0 } = own.canned;
      await passed(Math.min(delayMs, timeoutMs));
      if (delayMs > timeoutMs) throw new CommandTimeout(`${argv[0]} in ${where.pod} took more than ${timeoutMs} ms`, false);
      return endOf(call, { stdout, stderr, exitCode });
    },
  };
}

/** Alluxio, Jindo, JuiceFS and `plainfs` in memory; every other command is not found. */
function enginesExec(): PodExec {
  const engines = createEngines();
  return async (where, argv) => {
    const call = { ...where, argv, time: '' };
    return endOf(call, engines(call) ?? { stderr: `${argv[0]}: command not found\n`, exitCode: 127 });
  };
}

/** As pod-exec.ts words a failure. */
function endOf({ namespace, pod, argv }: ExecCall, { stdout = '', stderr = '', exitCode = 0 }: ExecAnswer): string {
  if (exitCode !== 0) throw new Error(`${argv[0]} in ${namespace}/${pod} ended with exit code ${exitCode}: ${stderr.trim()}`);
  return stdout;
}

const passed = (ms: number) => (ms > 0 ? new Promise<void>((resolve) => setTimeout(resolve, ms)) : Promise.resolve());
