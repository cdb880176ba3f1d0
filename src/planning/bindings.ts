import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '../api/index.ts';
import type { BoundRuntime, Part, RuntimeInput, Runtime, Settings } from '../constructs/index.ts';
import { storable } from '../constructs/limits.ts';
import { cacheAffinityOf } from './cache-affinity.ts';
import type { Finding, DesiredObject } from './objects.ts';
import type { PlanInForce } from './plan-in-force.ts';
import { type Digest, digestOf, recalled } from './digests.ts';
import { createSharing, flat, sameOr } from './sharing.ts';

/** So many whole plans are kept while their runtimes are being set up; otherwise each pass would render them again. */
const AT_HAND = 256;
/** Limit of all rendered objects together, with room for each of the largest. */
const MOST_CHARACTERS = 32 << 20;

/** The record of one object of a plan, kept as long as its plan stays the same. */
interface Sketch extends Finding {
  readonly kind: string;
  readonly name: string;
  readonly hash: string;
}
/** Settings never change while the process runs. */
type Input = Omit<RuntimeInput<unknown>, 'settings'>;
interface Remembered {
  /** Everything that the plan depends on. */
  readonly of: string;
  /** The last input that led to it. */
  input: Input;
  readonly parts: Partial<Record<Part, readonly Sketch[]>>;
  /** Records of the plan before, until this one has rendered the part: an object that existed then is not created again unasked. */
  readonly earlier: Partial<Record<Part, readonly Sketch[]>>;
  readonly cacheAffinity: object | undefined;
  readonly digest: Digest;
}
/** A plan, and what it renders. */
export interface Binding {
  readonly plan: PlanInForce;
  /** The desired objects of a part. Throws InvalidSpec when they cannot be rendered. */
  readonly desiredObjects: (part: Part) => readonly DesiredObject[];
  /** Node affinity of the cache, for pods that want to be near it. */
  readonly cacheAffinity?: object | undefined;
}

/**
 * Plans, and what they render to. Of a plan a digest is kept, of its manifests names and hashes: enough for a pass that finds everything as it
 * should be. The plan itself is computed again when more is needed: with its manifests it would be 40 KB, and rendering takes 0.3 ms.
 */
export function createBindings(settings: Settings) {
  const known = new Map<string, Remembered>();
  const atHand = new Map<string, { readonly of: string; readonly bound: BoundRuntime; characters: number }>();
  let characters = 0;
  const { piece } = createSharing();

  function planned(definition: Runtime, input: Input, of: string): BoundRuntime {
    const before = atHand.get(input.uid);
    if (before?.of === of) return before.bound;
    const bound = definition.bind({ ...input, settings });
    // A plan whose objects are all as they should be needs no rendering.
    if (known.get(input.uid)?.of !== of) keep(input.uid, of, bound);
    return bound;
  }

  function keep(uid: string, of: string, bound: BoundRuntime): void {
    if (atHand.get(uid)?.bound === bound) return;
    drop(uid);
    atHand.set(uid, { of, bound, characters: 0 });
    if (atHand.size > AT_HAND) drop(atHand.keys().next().value ?? '');
  }
  function drop(uid: string): void {
    characters -= atHand.get(uid)?.characters ?? 0;
    atHand.delete(uid);
  }
  function weigh(uid: string, rendered: number): void {
    const kept = atHand.get(uid);
    if (!kept) return;
    kept.characters += rendered;
    characters += rendered;
    for (const other of atHand.keys()) {
      if (characters <= MOST_CHARACTERS) return;
      drop(other);
    }
  }

  function recall(definition: Runtime, input: Input, reported: object | undefined): Remembered {
    const before = known.get(input.uid);
    if (before && isSame(before.input, input)) return before;
    const of = fingerprint(input);
    if (before?.of === of) {
      before.input = input;
      return before;
    }
    const plan = planned(definition, input, of);
    const affinity = plan.roles.includes('worker') ? cacheAffinityOf(plan.synth('worker')) : undefined;
    const earlier = { ...before?.earlier, ...before?.parts };
    const memory = { of, input, parts: {}, earlier, cacheAffinity: sameOr(reported, affinity), digest: digestOf(plan, piece) };
    known.set(input.uid, memory);
    return memory;
  }

  return {
    /**
     * @param reported the cache affinity in the runtime's status, which is shared while it is the same
     * @throws InvalidSpec
     */
    bind(definition: Runtime, given: Input, reported?: object): Binding & { readonly input: Input; readonly whole: () => BoundRuntime } {
      const { of, input, parts, earlier, cacheAffinity, digest } = recall(definition, given, reported);
      // A command that waits for its turn keeps this for minutes, and with a strong reference 40 KB of a plan.
      let last: WeakRef<BoundRuntime> | undefined;
      const whole = () => {
        const bound = last?.deref() ?? planned(definition, input, of);
        last = new WeakRef(bound);
        return bound;
      };
      function sketched(bound: BoundRuntime, part: Part): readonly Sketch[] {
        const manifests = bound.synth(part);
        const texts = manifests.map((manifest) => JSON.stringify(manifest));
        weigh(
          input.uid,
          texts.reduce((sum, text) => sum + text.length, 0),
        );
        return manifests.map((manifest, i) => since(earlier[part], sketch(manifest, texts[i])));
      }
      return {
        plan: recalled(digest, whole),
        desiredObjects(part) {
          const sketches = (parts[part] ??= sketched(whole(), part));
          delete earlier[part];
          // An object that differs is written, and again while the API server refuses it.
          const manifest = (i: number) => {
            keep(input.uid, of, whole());
            return whole().synth(part)[i]!;
          };
          return sketches.map((each, i) => desired(each, () => manifest(i)));
        },
        cacheAffinity,
        input,
        whole,
      };
    },
    /** Every object was found to be as it should be: the whole plan is no longer kept. */
    settled: drop,
    forget(uid: string): void {
      known.delete(uid);
      drop(uid);
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

/** The hash of the rendered manifest, not of the sent one, which holds fields taken from the live object. */
export const hashOf = (manifest: Manifest, text: string = JSON.stringify(manifest)): string =>
  hash('sha256', text, 'buffer').toString('hex', 0, 8);

const sketch = (manifest: Manifest, text: string = JSON.stringify(manifest)): Sketch => ({
  kind: manifest.kind,
  name: flat(manifest.metadata.name),
  hash: hashOf(storable(manifest, text), text),
  found: undefined,
});
/** @param before of the plan before: an object that existed then is known to have been created */
function since(before: readonly Sketch[] | undefined, made: Sketch): Sketch {
  const was = before?.find(({ kind, name }) => kind === made.kind && name === made.name);
  return was?.made || was?.found !== undefined ? { ...made, made: true } : made;
}
const desired = (finding: Sketch, manifest: () => Manifest): DesiredObject => ({
  kind: finding.kind,
  name: finding.name,
  hash: finding.hash,
  finding,
  manifest,
});

/** A binding that keeps the whole plan. */
export const bindingOf = (bound: BoundRuntime): Binding => {
  const cacheAffinity = bound.roles.includes('worker') ? cacheAffinityOf(bound.synth('worker')) : undefined;
  const desiredObjects = (part: Part) => bound.synth(part).map(desiredObjectOf);
  return { plan: { ...bound, base: bound.plan }, desiredObjects, cacheAffinity };
};
export const desiredObjectOf = (manifest: Manifest): DesiredObject => desired(sketch(manifest), () => manifest);
