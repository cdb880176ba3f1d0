/**
 * The image of a container, repository and tag each from the first place that says it: the spec, the controller's environment, the built-in default.
 * A text in the environment that is no `repository:tag` counts for nothing.
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
