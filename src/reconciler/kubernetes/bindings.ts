import { hash } from 'node:crypto';
import type { Manifest } from '../../api/index.ts';
import type { BoundRuntime, Part, PlanInput, Runtime } from '../../constructs/index.ts';
import { cacheAffinityOf } from '../status/cache.ts';
import type { Finding, Outline, World } from '../world.ts';
import { flat, sameOr } from './sharing.ts';

/** Plans that are at hand while their runtimes are being set up; without, each pass would render anew what it makes. */
const AT_HAND = 256;

/** What is remembered of one object of a plan; the identity of its outline. */
interface Sketch extends Finding {
  readonly kind: string;
  readonly name: string;
  readonly hash: string;
}
interface Remembered {
  /** Everything that the plan depends on. */
  readonly of: string;
  readonly parts: Partial<Record<Part, readonly Sketch[]>>;
  readonly cacheAffinity: object | undefined;
}
export type Binding = Pick<World, 'plan' | 'outlines' | 'cacheAffinity'>;

/**
 * Plans, and what they render to. A plan is computed each time (0.05 ms); of its manifests only names and hashes are remembered, which is
 * enough to know that an object is still as it was sent. Rendering takes five times as long, and a plan with its manifests 40 KB.
 */
export function createBindings() {
  const known = new Map<string, Remembered>();
  const atHand = new Map<string, { readonly of: string; readonly bound: BoundRuntime }>();

  function planned(runtime: Runtime, input: PlanInput<unknown>, of: string): BoundRuntime {
    const before = atHand.get(input.uid);
    if (before?.of === of) return before.bound;
    const bound = runtime.bind(input);
    // What all is well with needs no rendering.
    if (known.get(input.uid)?.of !== of) {
      atHand.delete(input.uid);
      atHand.set(input.uid, { of, bound });
      if (atHand.size > AT_HAND) atHand.delete(atHand.keys().next().value ?? '');
    }
    return bound;
  }

  return {
    /** Throws InvalidSpec. `told`: the cache affinity that the runtime's status has, which takes no memory of its own while it is the same. */
    bind(runtime: Runtime, input: PlanInput<unknown>, told?: object): Binding {
      const of = fingerprint(input);
      const plan = planned(runtime, input, of);
      let memory = known.get(input.uid);
      if (memory?.of !== of) {
        const affinity = plan.roles.includes('worker') ? cacheAffinityOf(plan.synth('worker')) : undefined;
        memory = { of, parts: {}, cacheAffinity: sameOr(told, affinity) };
        known.set(input.uid, memory);
      }
      const { parts, cacheAffinity } = memory;
      return {
        plan,
        outlines(part) {
          const sketches = (parts[part] ??= plan.synth(part).map(sketch));
          return sketches.map((each, i) => outline(each, () => plan.synth(part)[i]!));
        },
        cacheAffinity,
      };
    },
    /** All of it was found to be as it should: manifests are rendered no more. */
    settled: (uid: string): void => void atHand.delete(uid),
    forget(uid: string): void {
      known.delete(uid);
      atHand.delete(uid);
    },
  };
}

// Settings never change while we run. The hash keeps Secrets' contents out of memory.
const fingerprint = (input: PlanInput<unknown>): string => hash('sha1', JSON.stringify({ ...input, settings: undefined }), 'base64');

/** Of what was rendered, not of what is sent: that holds fields taken from the live object. */
export const hashOf = (manifest: Manifest): string => hash('sha256', JSON.stringify(manifest), 'buffer').toString('hex', 0, 8);

const sketch = (manifest: Manifest): Sketch => ({
  kind: manifest.kind,
  name: flat(manifest.metadata.name),
  hash: hashOf(manifest),
  found: undefined,
});
const outline = (finding: Sketch, manifest: () => Manifest): Outline => ({
  kind: finding.kind,
  name: finding.name,
  hash: finding.hash,
  finding,
  manifest,
});

/** Of a plan that is at hand anyway. */
export const bindingOf = (plan: BoundRuntime): Binding => {
  const cacheAffinity = plan.roles.includes('worker') ? cacheAffinityOf(plan.synth('worker')) : undefined;
  const outlines = (part: Part) => plan.synth(part).map(outlineOf);
  return { plan, outlines, cacheAffinity };
};
export const outlineOf = (manifest: Manifest): Outline => outline(sketch(manifest), () => manifest);
