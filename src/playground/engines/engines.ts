import { alluxioAnswer, type SimulatedAlluxio, simulatedAlluxio } from './alluxio.ts';
import { plainfsAnswer } from './cache.ts';
import type { ExecAnswer, ExecCall } from './exec-call.ts';
import { jindoAnswer, type SimulatedJindo, simulatedJindo } from './jindo.ts';
import { defaultAnswer as juicefsAnswer } from './juicefs.ts';

/** The answers of engines in simulated pods to a command; undefined for one that they do not know. */
export type Engines = (call: ExecCall) => ExecAnswer | undefined;

/** Engines that remember what each of them was told: by namespace and pod, all masters as one, since one that is made again still has its mounts. */
export function createEngines(): Engines {
  const alluxios = new Map<string, SimulatedAlluxio>();
  const jindos = new Map<string, SimulatedJindo>();
  return (call) => {
    // A reader finds every file system well.
    if (call.argv[2]?.includes('.sluice-look-up')) return { stdout: 'asked\n' };
    const masters = `${call.namespace}/${call.pod.replace(/-master-\d+$/, '-master')}`;
    if (call.container.startsWith('jindofs-')) {
      const jindo = jindos.get(masters) ?? simulatedJindo();
      jindos.set(masters, jindo);
      return jindoAnswer(jindo, call.argv);
    }
    const alluxio = alluxios.get(masters) ?? simulatedAlluxio();
    const stdout = alluxioAnswer(alluxio, call.argv);
    if (stdout === undefined) return plainfsAnswer(call) ?? juicefsAnswer(call);
    alluxios.set(masters, alluxio);
    return { stdout };
  };
}
