/**
 * The cost of the way through a claim beside the bare client. One pod reads and writes by turns in the mount of the Dataset's claim and in
 * that of the bare client. Another pod started the latter by hand, with the same image, limits and size of cache, on the same node.
 *
 *     store      what is read, in a pod with MinIO
 *     engines    the Dataset of each engine, and the command of its bare client
 *     stage      the pods: bare client and reader
 *     reader.py  the operations, and their time
 *     ratios     pairs until the interval of their median is narrow
 *     first-read from the creation of a pod to its first byte
 */
import type { Bench, Figure } from '../figure.ts';
import { say } from '../lab.ts';
import { startInstalled } from '../../test/node/installed.ts';
import { type EngineName, engines } from './engines.ts';
import { firstReads } from './first-read.ts';
import { type Operation, OPERATIONS } from './operations.ts';
import { ratioOf } from './ratios.ts';
import { readerImage } from './reader-image.ts';
import { type Stage, setUp } from './stage.ts';

export const dataPath = (name: EngineName): Bench => ({
  name: `data-path-${name}`,
  async *run({ quick }) {
    const engine = engines[name];
    const cluster = await startInstalled({ images: [...engine.images(), readerImage(engine.programs?.())], onProgress: say });
    try {
      const stage = await setUp(cluster, engine, quick);
      yield* operations(name, stage, quick);
      yield* firstReads(name, stage, quick);
    } catch (error) {
      say(await cluster.logs());
      throw error;
    } finally {
      await cluster.stop();
    }
  },
});

async function* operations(name: EngineName, stage: Stage, quick: boolean): AsyncIterable<Figure> {
  for (const operation of Object.keys(OPERATIONS) as Operation[]) {
    say(`data-path-${name}: ${operation}`);
    yield await ratioOf(name, operation, stage, quick);
  }
}
