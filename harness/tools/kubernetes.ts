/**
 * Versions of Kubernetes that the test control plane and the test node can be of. The default one has a module under tools/, with its lock.
 * The module of another is written here when it is built: the versions of all that Kubernetes needs follow from its own go.mod, and Go's
 * checksum database proves them.
 */
export const DEFAULT_KUBERNETES = '1.34';

/** The newest patch of each minor version that Sluice promises to work on and that Go's module proxy serves. */
export const PATCHES: Readonly<Record<string, string>> = {
  '1.29': '1.29.15',
  '1.30': '1.30.14',
  '1.31': '1.31.14',
  '1.32': '1.32.13',
  '1.33': '1.33.13',
  [DEFAULT_KUBERNETES]: '1.34.4',
  '1.35': '1.35.4',
  '1.36': '1.36.3',
  '1.37': '1.37.2',
};

/** The last of them. */
export const NEWEST_KUBERNETES = Object.keys(PATCHES).at(-1) ?? DEFAULT_KUBERNETES;

/**
 * The minor version that SLUICE_TEST_KUBERNETES asks for, such as `1.29`.
 *
 * @throws Error when it is none of `PATCHES`
 */
export function askedKubernetes(env: Readonly<Record<string, string | undefined>>): string {
  const minor = env['SLUICE_TEST_KUBERNETES'] || DEFAULT_KUBERNETES;
  if (!(minor in PATCHES)) throw new Error(`expected one of ${Object.keys(PATCHES).join(', ')}, found ${minor}`);
  return minor;
}

/** Linker flags that give the programs their version, as in Kubernetes' own build. */
export function versionStamp(minor: string): string {
  const variable = 'k8s.io/component-base/version';
  const [gitMajor, gitMinor] = minor.split('.');
  return `-X ${variable}.gitVersion=v${PATCHES[minor]} -X ${variable}.gitMajor=${gitMajor} -X ${variable}.gitMinor=${gitMinor}`;
}

/**
 * The go.mod of a module that needs nothing but this version of Kubernetes.
 *
 * @param own Kubernetes' go.mod. It names the modules of its own tree without a version; they are published as 0.29.15 for 1.29.15
 */
export function moduleFor(minor: string, own: string): string {
  const patch = PATCHES[minor] ?? '';
  const go = /^go .*$/m.exec(own)?.[0] ?? '';
  const parts = [...own.matchAll(/^\s*(k8s\.io\/\S+) v0\.0\.0$/gm)].map(([, path]) => `\t${path} v${patch.replace('1', '0')}`);
  return ['module sluice.dev/tools/kubernetes', '', go, '', 'require (', `\tk8s.io/kubernetes v${patch}`, ...parts, ')', ''].join('\n');
}
