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

/**
 * The images of a runtime: by part, a variable of the controller and the default. `of` says image and pull policy of a container, by
 * `settings.env` and by what the spec says of the part.
 * @example
 * const images = imageTable({ worker: ['ACME_IMAGE_ENV', 'acme/acme:1'] });
 * images.variables; // → ['ACME_IMAGE_ENV']
 * images.of('worker', {}, { imageTag: '2' }).image; // → 'acme/acme:2'
 */
export const imageTable = <Part extends string>(parts: Readonly<Record<Part, readonly [variable: string, usual: string]>>) => ({
  variables: Object.values<readonly [string, string]>(parts).map(([variable]) => variable),
  of(part: Part, env: Readonly<Record<string, string>>, said?: Version) {
    const [variable, usual] = parts[part];
    return { image: imageOf(said, env[variable], usual), imagePullPolicy: said?.imagePullPolicy };
  },
});
