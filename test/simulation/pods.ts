import { type SimulatedAlluxio, alluxioAnswer, simulatedAlluxio } from '../../harness/control-plane/alluxio-answers.ts';
import { plainfsAnswer } from '../../harness/control-plane/cache-answers.ts';
import type { ExecAnswer } from '../../harness/control-plane/exec-call.ts';
import { jindoAnswer, type SimulatedJindo, simulatedJindo } from '../../harness/control-plane/jindo-answers.ts';
import { defaultAnswer as juicefsAnswer } from '../../harness/control-plane/juicefs-answers.ts';
import type { PodExec } from '../../src/reconciler/kubernetes/commands/exec.ts';

/** What the engines in the pods of a world answer; the tables of mounts of their masters are remembered. */
export function createEngines(): (where: Parameters<PodExec>[0], argv: readonly string[]) => string {
  const alluxios = new Map<string, SimulatedAlluxio>();
  const jindos = new Map<string, SimulatedJindo>();
  function known<T>(of: Map<string, T>, name: string, create: () => T): T {
    const engine = of.get(name) ?? create();
    of.set(name, engine);
    return engine;
  }

  function answer({ namespace, pod, container }: Parameters<PodExec>[0], argv: readonly string[]): ExecAnswer | undefined {
    const masters = `${namespace}/${pod.replace(/-master-\d+$/, '-master')}`;
    if (container.startsWith('jindofs-')) return jindoAnswer(known(jindos, masters, simulatedJindo), argv);
    const stdout = alluxioAnswer(known(alluxios, masters, simulatedAlluxio), argv);
    if (stdout !== undefined) return { stdout };
    const call = { time: '', namespace, pod, container, argv };
    return plainfsAnswer(call) ?? juicefsAnswer(call);
  }

  return (where, argv) => {
    const { stdout = '', stderr = '', exitCode = 0 } = answer(where, argv) ?? { stderr: 'command not found', exitCode: 127 };
    if (exitCode !== 0) throw new Error(`${argv[0]}: exit code ${exitCode}: ${stderr}`);
    return stdout;
  };
}
