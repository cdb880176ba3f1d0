import type { PodExec } from '../../src/kube/exec.ts';
import { createEngines as createAnswers } from '../../src/playground/engines/engines.ts';

/** Answers of the engines in the pods of a world; the tables of mounts of their masters are remembered. */
export function createEngines(): (where: Parameters<PodExec>[0], argv: readonly string[]) => string {
  const answer = createAnswers();
  return ({ namespace, pod, container }, argv) => {
    const call = { time: '', namespace, pod, container, argv };
    const { stdout = '', stderr = '', exitCode = 0 } = answer(call) ?? { stderr: 'command not found', exitCode: 127 };
    if (exitCode !== 0) throw new Error(`${argv[0]}: exit code ${exitCode}: ${stderr}`);
    return stdout;
  };
}
