import type { Manifest, PodSpec } from '../../api/index.ts';
import { inRegistry, PRINT_ORDER, type Runtime, type RuntimeInput } from '../../constructs/index.ts';

const REGISTRY = 'registry.conformance.test';

/** Images that a runtime neither takes from its list of default images nor from what users and operators wrote, one line each. */
export function imageFaults(runtime: Runtime, input: RuntimeInput<unknown>): readonly string[] {
  // A runtime without a list has no images to move.
  if (runtime.images.length === 0) return [];
  const bound = runtime.bind({ ...input, settings: { ...input.settings, registry: REGISTRY } });
  const moved = new Set(runtime.images.map(({ image }) => repositoryOf(inRegistry(image, REGISTRY))));
  const written = JSON.stringify([input.spec, input.dataset, input.facts, input.settings]);
  return PRINT_ORDER.flatMap((part) => bound.synth(part))
    .flatMap(imagesOf)
    .filter((image) => !moved.has(repositoryOf(image)) && !written.includes(repositoryOf(image)))
    .map((image) => `${image}: expected an image of the list, in the registry of the installation, or one that a spec names`);
}

function imagesOf({ kind, spec }: Manifest): readonly string[] {
  if (kind !== 'DaemonSet' && kind !== 'StatefulSet') return [];
  const { containers, initContainers = [] } = (spec as { readonly template: { readonly spec: PodSpec } }).template.spec;
  return [...initContainers, ...containers].flatMap(({ image }) => image ?? []);
}

/** An image without its tag. */
const repositoryOf = (image: string): string => image.replace(/:[^/:]*$/, '');
