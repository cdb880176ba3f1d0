import { type Mount, parse } from '../src/api/index.ts';
import { PRINT_ORDER } from '../src/constructs/index.ts';
import { planInput } from '../src/testing/given.ts';
import { companionFacts, runtimeOf } from './definitions.ts';
import { atMost, type Bench } from './figure.ts';
import { BENCHED, type Kind } from './kinds.ts';

/** Kinds whose mounts are rendered or planned one by one. */
const MANY_MOUNTS: readonly Kind[] = ['thin', 'alluxio', 'jindo', 'cache'];

const options = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`option-${i}`, 'v']));
const mounts = (count: number, own = 0): readonly Mount[] =>
  Array.from({ length: count }, (_, i) => ({ mountPoint: `s3://bucket-${i}`, name: `m${i}`, ...(own > 0 && { options: options(own) }) }));

/** At the limits of src/constructs/limits.ts, and far beyond them: what is refused must cost no more than what is served. */
const SHAPES: Readonly<Record<string, () => { readonly mounts: readonly Mount[]; readonly dataset?: object }>> = {
  mounts: () => ({ mounts: mounts(2048) }),
  options: () => ({ mounts: mounts(2048, 15) }),
  shared: () => ({ mounts: mounts(180), dataset: { sharedOptions: options(180) } }),
  refused: () => ({ mounts: mounts(2048), dataset: { sharedOptions: options(2048) } }),
};

/**
 * How long one pass over one spec may hold the event loop: CPU time of the plan and of all that it renders, without the time that the
 * machine gives to others. The least of several: the first ones compile the code.
 */
export const eventLoop: Bench = {
  name: 'event-loop',
  async *run({ quick }) {
    for (const kind of MANY_MOUNTS)
      for (const [shape, given] of Object.entries(SHAPES)) {
        const times = Array.from({ length: quick ? 3 : 9 }, () => cpuOf(kind, given()));
        const [least] = times.map(({ ms }) => ms).toSorted((a, b) => a - b);
        yield atMost(`event-loop/${kind}-${shape}`, least, 'CPU ms', 50, { outcome: times[0]?.outcome });
      }
  },
};

function cpuOf(kind: Kind, given: ReturnType<(typeof SHAPES)[string]>): { readonly ms: number; readonly outcome: string } {
  const runtime = runtimeOf(kind);
  const { spec } = parse(runtime.resource, object(kind)) as { readonly spec: object };
  const ports = Object.fromEntries((runtime.hostPorts ?? []).map((name, i) => [String(name), 20_000 + i]));
  const input = planInput({ ...given, spec, facts: { ports, objects: companionFacts() } });
  const before = process.cpuUsage();
  let outcome = 'rendered';
  try {
    runtime.needs?.(input);
    const bound = runtime.bind(input);
    for (const part of PRINT_ORDER) bound.synth(part);
  } catch (error) {
    outcome = error instanceof Error ? error.message.slice(0, 120) : String(error);
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, outcome };
}

const object = (kind: Kind) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: BENCHED[kind].runtimeKind,
  metadata: { namespace: 'ml', name: 'demo' },
  spec: BENCHED[kind].runtime,
});
