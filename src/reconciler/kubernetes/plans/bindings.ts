import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '../../../api/index.ts';
import type { BoundRuntime, Part, RuntimeInput, Runtime, Settings } from '../../../constructs/index.ts';
import { cacheAffinityOf } from '../../status/cache.ts';
import type { Finding, Outline, World } from '../../world.ts';
import { type Digest, digestOf, recalled } from './digests.ts';
import { createSharing, flat, sameOr } from '../store/sharing.ts';

/** Plans that are at hand while their runtimes are being set up; without, each pass would render anew what it makes. */
const AT_HAND = 256;

/** What is remembered of one object of a plan; the identity of its outline. */
interface Sketch extends Finding {
  readonly kind: string;
  readonly name: string;
  readonly hash: string;
}
/** Settings never change while we run. */
type Input = Omit<RuntimeInput<unknown>, 'settings'>;
interface Remembered {
  /** Everything that the plan depends on. */
  readonly of: string;
  /** The same, as it was given last. */
  input: Input;
  readonly parts: Partial<Record<Part, readonly Sketch[]>>;
  readonly cacheAffinity: object | undefined;
  readonly digest: Digest;
}
export type Binding = Pick<World, 'plan' | 'outlines' | 'cacheAffinity'>;

/**
 * Plans, and what they render to. Of a plan a digest is remembered, of its manifests names and hashes: enough for a pass that finds all as it
 * should be. The plan itself is computed when somebody asks for more. With its manifests it would be 40 KB, and rendering takes 0.3 ms.
 */
export function createBindings(settings: Settings) {
  const known = new Map<string, Remembered>();
  const atHand = new Map<string, { readonly of: string; readonly bound: BoundRuntime }>();
  const { piece } = createSharing();

  function planned(runtime: Runtime, input: Input, of: string): BoundRuntime {
    const before = atHand.get(input.uid);
    if (before?.of === of) return before.bound;
    const bound = runtime.bind({ ...input, settings });
    // What all is well with needs no rendering.
    if (known.get(input.uid)?.of !== of) {
      atHand.delete(input.uid);
      atHand.set(input.uid, { of, bound });
      if (atHand.size > AT_HAND) atHand.delete(atHand.keys().next().value ?? '');
    }
    return bound;
  }

  function recall(runtime: Runtime, input: Input, told: object | undefined): Remembered {
    const before = known.get(input.uid);
    if (before && isSame(before.input, input)) return before;
    const of = fingerprint(input);
    if (before?.of === of) {
      before.input = input;
      return before;
    }
    const plan = planned(runtime, input, of);
    const affinity = plan.roles.includes('worker') ? cacheAffinityOf(plan.synth('worker')) : undefined;
    const memory = { of, input, parts: {}, cacheAffinity: sameOr(told, affinity), digest: digestOf(plan, piece) };
    known.set(input.uid, memory);
    return memory;
  }

  return {
    /** Throws InvalidSpec. `told`: the cache affinity that the runtime's status has, which takes no memory of its own while it is the same. */
    bind(runtime: Runtime, given: Input, told?: object): Binding & { readonly input: Input; readonly whole: () => BoundRuntime } {
      const { of, input, parts, cacheAffinity, digest } = recall(runtime, given, told);
      // Whoever waits for his turn to run a command keeps this for minutes, and 40 KB of a plan with it otherwise.
      let last: WeakRef<BoundRuntime> | undefined;
      const whole = () => {
        const bound = last?.deref() ?? planned(runtime, input, of);
        last = new WeakRef(bound);
        return bound;
      };
      return {
        plan: recalled(digest, whole),
        outlines(part) {
          const sketches = (parts[part] ??= whole().synth(part).map(sketch));
          return sketches.map((each, i) => outline(each, () => whole().synth(part)[i]!));
        },
        cacheAffinity,
        input,
        whole,
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

/** The store keeps what has not changed, so that most is seen without looking into it. */
const isSame = (a: Input, b: Input): boolean =>
  a.spec === b.spec &&
  a.annotations === b.annotations &&
  a.dataset.spec === b.dataset.spec &&
  a.dataset.annotations === b.dataset.annotations &&
  a.name === b.name &&
  a.namespace === b.namespace &&
  isDeepStrictEqual(a.dataset.identity, b.dataset.identity) &&
  isDeepStrictEqual(a.facts, b.facts);

const fingerprint = (input: Input): string => hash('sha1', JSON.stringify(input), 'base64');

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
