/**
 * Where the programs of the test control plane are. They are Go programs, built once from the modules under tools/ (tools-build.ts) into a
 * cache outside the checkout, so that every clone with the same modules shares them; KUBEBUILDER_ASSETS wins for what it has.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ToolName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubectl' | 'kwok';

/** The path of every program. */
export type Tools = Readonly<Record<ToolName, string>>;

export interface Tool {
  readonly name: ToolName;
  /** The folder under tools/. */
  readonly module: 'etcd' | 'kube' | 'kwok';
  readonly package: string;
  /** Packages compiled and seconds taken by a cold build on two cores, in this order: what the estimate of the time left starts from. */
  readonly packages: number;
  readonly seconds: number;
}

export const TOOLS: readonly Tool[] = [
  { name: 'etcd', module: 'etcd', package: 'go.etcd.io/etcd/server/v3', packages: 519, seconds: 33 },
  { name: 'kube-apiserver', module: 'kube', package: 'k8s.io/kubernetes/cmd/kube-apiserver', packages: 1717, seconds: 166 },
  { name: 'kube-controller-manager', module: 'kube', package: 'k8s.io/kubernetes/cmd/kube-controller-manager', packages: 381, seconds: 48 },
  { name: 'kube-scheduler', module: 'kube', package: 'k8s.io/kubernetes/cmd/kube-scheduler', packages: 6, seconds: 5 },
  { name: 'kubectl', module: 'kube', package: 'k8s.io/kubernetes/cmd/kubectl', packages: 197, seconds: 19 },
  { name: 'kwok', module: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok', packages: 761, seconds: 90 },
];

/** The folder tools/ of the checkout, seen from src/testing or from dist/src/testing. */
export const MODULES =
  ['../../tools/', '../../../tools/'].map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync) ?? 'tools';

const VERSION = 'k8s.io/component-base/version';

/** `go build` without what would make two builds differ. */
export function buildFlags(module: Tool['module']): readonly string[] {
  const stamp = `-X ${VERSION}.gitVersion=v1.34.4 -X ${VERSION}.gitMajor=1 -X ${VERSION}.gitMinor=34`;
  return [
    '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    ...(module === 'kube' ? ['-tags=providerless', `-ldflags=-s -w ${stamp}`] : ['-ldflags=-s -w']),
  ];
}

type Env = Readonly<Record<string, string | undefined>>;

/** The cache folder for these module files, flags and this kind of machine. A newer Go is no reason to build again. */
export function cacheDir(env: Env = process.env): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const module of ['etcd', 'kube', 'kwok'] as const) {
    hash.update(buildFlags(module).join('\n'));
    for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(MODULES, module, file)));
  }
  const root = env['SLUICE_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sluice');
  return join(root, 'tools', hash.digest('hex').slice(0, 16));
}

/** Where each program is, or will be once built. */
export function toolPaths(env: Env = process.env): Tools {
  const cache = cacheDir(env);
  const assets = env['KUBEBUILDER_ASSETS'];
  const path = (name: ToolName) => (assets !== undefined && existsSync(join(assets, name)) ? join(assets, name) : join(cache, name));
  return Object.fromEntries(TOOLS.map(({ name }) => [name, path(name)])) as Tools;
}

/** Those that still have to be built. */
export function missingTools(env: Env = process.env): readonly Tool[] {
  const paths = toolPaths(env);
  return TOOLS.filter(({ name }) => !existsSync(paths[name]));
}

/** The programs; throws when some have to be built first. */
export function tools(env: Env = process.env): Tools {
  const missing = missingTools(env).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`not built yet: ${missing.join(', ')}; run: bash scripts/setup.sh`);
  return toolPaths(env);
}
