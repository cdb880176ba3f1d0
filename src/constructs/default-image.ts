import type { DefaultImage, Settings } from './contract.ts';

type Version = { readonly image?: string; readonly imageTag?: string; readonly imagePullPolicy?: string };

/**
 * The image of a container. Repository and tag each come from the spec, else from the controller's environment, else from the runtime's
 * default. A text in the environment that is not `<repository>:<tag>` is ignored.
 * @example
 * imageOf({ imageTag: '2' }, undefined, 'acme/acme:1'); // → 'acme/acme:2'
 */
export function imageOf(
  { image, imageTag }: Omit<Version, 'imagePullPolicy'> = {},
  environment: string | undefined,
  builtIn: string,
): string {
  const [, repository, tag] = REFERENCE.exec(environment ?? '') ?? REFERENCE.exec(builtIn) ?? [];
  return `${image || repository}:${imageTag || tag}`;
}

const REFERENCE = /^(\S+):([^\s:/]+)$/;

/** A registry: a host, which has a dot or a port or is `localhost`, and perhaps a path. */
export const registryPattern = '^(localhost|[A-Za-z0-9-]+([.][A-Za-z0-9-]+)+|[A-Za-z0-9.-]+:[0-9]{1,5})(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$';

const REGISTRY = new RegExp(registryPattern);
export const isRegistry = (text: string): boolean => REGISTRY.test(text);

/** Whether an image names the host of its registry, as registries tell it from the first part of a path: `registry.example:5000/`. */
export function namesHost(image: string): boolean {
  const [first = '', ...rest] = image.split('/', 2);
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
}

/**
 * An image of the same path and tag in another registry, a host with or without a path. Without a registry the image stays as it is.
 * @example
 * inRegistry('quay.io/acme/acme:1', 'mirror.example'); // → 'mirror.example/acme/acme:1'
 */
export const inRegistry = (image: string, registry: string | undefined): string =>
  registry === undefined ? image : `${registry}/${namesHost(image) ? image.slice(image.indexOf('/') + 1) : image}`;

/**
 * The images of a runtime: by part, a variable of the controller and the default. `images` is what a runtime declares as its `images`. `of`
 * says image and pull policy of a container, by the settings and by what the spec says of the part. The installation's registry takes the
 * place of the default's own.
 * @example
 * const table = imageTable({ worker: ['ACME_IMAGE_ENV', 'acme/acme:1'] });
 * table.images; // → [{ variable: 'ACME_IMAGE_ENV', image: 'acme/acme:1' }]
 * table.of('worker', { env: {} }, { imageTag: '2' }).image; // → 'acme/acme:2'
 */
export const imageTable = <Part extends string>(parts: Readonly<Record<Part, readonly [variable: string, usual: string]>>) => ({
  images: Object.values<readonly [string, string]>(parts).map(([variable, image]): DefaultImage => ({ variable, image })),
  of(part: Part, { env, registry }: Pick<Settings, 'env' | 'registry'>, said?: Version) {
    const [variable, usual] = parts[part];
    return { image: imageOf(said, env[variable], inRegistry(usual, registry)), imagePullPolicy: said?.imagePullPolicy };
  },
});
