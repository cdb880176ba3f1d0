import type { PodExec } from '../../src/kube/exec.ts';
import { alluxioAnswer, type SimulatedAlluxio, simulatedAlluxio } from '../../src/playground/engines/alluxio.ts';

export interface AlluxioFileSystem extends SimulatedAlluxio {
  readonly exec: PodExec;
  /** One text for each exec: `<pod>/<container> <command>`. */
  readonly execs: string[];
}

export function alluxioFileSystem(): AlluxioFileSystem {
  const alluxio = simulatedAlluxio();
  const execs: string[] = [];
  const exec: PodExec = async ({ pod, container }, argv) => {
    const script = argv[0] === 'bash' ? (argv[2] ?? '') : argv.join(' ');
    execs.push(`${pod}/${container} ${script.replace('\nexit $failed', '').split('\n').at(-1)}`);
    return alluxioAnswer(alluxio, argv) ?? '';
  };
  return Object.assign(alluxio, { execs, exec });
}
