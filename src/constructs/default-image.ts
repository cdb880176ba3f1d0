/**
 * The image of a container. Repository and tag each come from the spec, else from the controller's environment, else from the runtime's
 * default. A text in the environment that is not `<repository>:<tag>` is ignored.
 * @example
 * imageOf({ imageTag: '2' }, undefined, 'acme/acme:1'); // → 'acme/acme:2'
 */
export function imageOf(
  { image, imageTag }: { readonly image?: string; readonly imageTag?: string } = {},
  environment: string | undefined,
  builtIn: string,
): string {
  const [, repository, tag] = REFERENCE.exec(environment ?? '') ?? REFERENCE.exec(builtIn) ?? [];
  return `${image || repository}:${imageTag || tag}`;
}

const REFERENCE = /^(\S+):([^\s:/]+)$/;
