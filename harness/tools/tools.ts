/**
 * Where the programs of the test control plane and the test node are. They are Go programs, built once from the modules under tools/
 * (build.ts) into a cache outside the checkout, so that every clone with the same modules shares them; KUBEBUILDER_ASSETS wins for
 * what it has.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { askedKubernetes, DEFAULT_KUBERNETES, PATCHES, versionStamp } from './kubernetes.ts';

export type ControlPlaneToolName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubectl' | 'kwok';
export type NodeToolName = 'kubelet' | 'kube-proxy' | 'coredns' | 'pause' | 'minio' | 'rclone';
/** Tools that only tests run. */
export type TestToolName = 'csi-sanity' | 'gitops-reader';
/** File systems and servers that only `npm run engines` runs. */
export type EngineToolName = 'gcsfuse' | 'fake-gcs-server' | 'weed';
export type ToolName = ControlPlaneToolName | NodeToolName | TestToolName | EngineToolName;

/** The path of every program of the control plane. */
export type Tools = Readonly<Record<ControlPlaneToolName, string>>;
/** The path of every program of the node. */
export type NodeTools = Readonly<Record<NodeToolName, string>>;
/** The path of every program that only the tests of engines run. */
export type EngineTools = Readonly<Record<EngineToolName, string>>;

type NodeModule = 'coredns' | 'pause' | 'sanity' | 'minio' | 'rclone' | 'gcsfuse' | 'fake-gcs' | 'seaweedfs';

export interface Tool<Name extends ToolName = ToolName> {
  readonly name: Name;
  /** The folder under tools/. */
  readonly module: 'etcd' | 'kube' | 'kube-proxy' | 'kwok' | 'gitops' | `node/${NodeModule}`;
  readonly package: string;
  /** Packages compiled and seconds taken by a cold build on two cores, in this order: what the estimate of the time left starts from. */
  readonly packages: number;
  readonly seconds: number;
}

const CONTROL_PLANE: readonly Tool<ControlPlaneToolName>[] = [
  { name: 'etcd', module: 'etcd', package: 'go.etcd.io/etcd/server/v3', packages: 519, seconds: 45 },
  { name: 'kube-apiserver', module: 'kube', package: 'k8s.io/kubernetes/cmd/kube-apiserver', packages: 1717, seconds: 206 },
  { name: 'kube-controller-manager', module: 'kube', package: 'k8s.io/kubernetes/cmd/kube-controller-manager', packages: 381, seconds: 58 },
  { name: 'kube-scheduler', module: 'kube', package: 'k8s.io/kubernetes/cmd/kube-scheduler', packages: 6, seconds: 4 },
  { name: 'kubectl', module: 'kube', package: 'k8s.io/kubernetes/cmd/kubectl', packages: 197, seconds: 21 },
  { name: 'kwok', module: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok', packages: 761, seconds: 72 },
];

const NODE: readonly Tool<NodeToolName>[] = [
  { name: 'kubelet', module: 'kube', package: 'k8s.io/kubernetes/cmd/kubelet', packages: 400, seconds: 26 },
  // A module of its own: one more requirement of `kube` would have everybody build that again. Their packages are compiled once.
  { name: 'kube-proxy', module: 'kube-proxy', package: 'k8s.io/kubernetes/cmd/kube-proxy', packages: 31, seconds: 7 },
  { name: 'coredns', module: 'node/coredns', package: 'sluice.dev/tools/node/coredns', packages: 600, seconds: 63 },
  { name: 'pause', module: 'node/pause', package: 'sluice.dev/tools/node/pause', packages: 5, seconds: 1 },
  { name: 'rclone', module: 'node/rclone', package: 'sluice.dev/tools/node/rclone', packages: 560, seconds: 31 },
  { name: 'minio', module: 'node/minio', package: 'github.com/minio/minio', packages: 1300, seconds: 129 },
];

const TESTS: readonly Tool<TestToolName>[] = [
  {
    name: 'csi-sanity',
    module: 'node/sanity',
    package: 'github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity',
    packages: 204,
    seconds: 39,
  },
  { name: 'gitops-reader', module: 'gitops', package: 'sluice.dev/tools/gitops', packages: 330, seconds: 60 },
];

const ENGINES: readonly Tool<EngineToolName>[] = [
  { name: 'gcsfuse', module: 'node/gcsfuse', package: 'github.com/googlecloudplatform/gcsfuse/v3', packages: 440, seconds: 150 },
  { name: 'fake-gcs-server', module: 'node/fake-gcs', package: 'github.com/fsouza/fake-gcs-server', packages: 410, seconds: 110 },
  { name: 'weed', module: 'node/seaweedfs', package: 'github.com/seaweedfs/seaweedfs/weed', packages: 1343, seconds: 600 },
];

const ALL = { 'control plane': CONTROL_PLANE, node: NODE, tests: TESTS, engines: ENGINES } as const;
/** Which programs: those of the control plane; of the node as well, which only Linux can use; what tests need besides; `npm run engines`. */
export type Wanted = keyof typeof ALL;

/** These programs and those before them, in the order in which they are needed. */
export function wantedTools(wanted: Wanted): readonly Tool[] {
  const names = Object.keys(ALL) as Wanted[];
  return names.slice(0, names.indexOf(wanted) + 1).flatMap((name): readonly Tool[] => ALL[name]);
}

/** The folder tools/ of the checkout. */
export const MODULES = join(import.meta.dirname, '../../tools');

/** `go build` without what would make two builds differ. */
function buildFlags(module: Tool['module'], kubernetes = DEFAULT_KUBERNETES): readonly string[] {
  return [
    kubernetes === DEFAULT_KUBERNETES ? '-mod=readonly' : '-mod=mod',
    '-trimpath',
    '-buildvcs=false',
    ...(module === 'kube' || module === 'kube-proxy'
      ? ['-tags=providerless', `-ldflags=-s -w ${versionStamp(kubernetes)}`]
      : ['-ldflags=-s -w']),
  ];
}

export type Env = Readonly<Record<string, string | undefined>>;

/** The folder of everything that is built. */
export function cacheRoot(env: Env = process.env): string {
  return join(env['SLUICE_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sluice'), 'tools');
}

/** The cache folder of what these contents pin, such as a lock: another content has another folder. */
export function cacheFolder(name: string, contents: readonly (string | Buffer)[], env: Env = process.env): string {
  const hash = createHash('sha256');
  for (const each of contents) hash.update(each);
  return join(cacheRoot(env), `${name}-${hash.digest('hex').slice(0, 16)}`);
}

/**
 * The cache folder for one module's sources, versions and flags, and this kind of machine. A change of one module is no reason to build
 * the others again; neither is a newer Go, nor one more program out of the same module.
 */
export function cacheDir(module: Tool['module'], env: Env = process.env): string {
  const folder = join(MODULES, module);
  const contents = [[process.platform, process.arch, ...buildFlags(module)].join('\n')];
  for (const file of readdirSync(folder).toSorted()) {
    const text = readFileSync(join(folder, file), 'utf8');
    // Versions name what is built; go.sum only proves it.
    if (file === 'go.mod') contents.push(withoutTools(text));
    else if (file.endsWith('.go')) contents.push(text);
  }
  return cacheFolder(module.replace('/', '-'), contents, env);
}

function withoutTools(goMod: string): string {
  return goMod.replace(/^tool (\([^)]*\)|.*)\n/m, '');
}

/** These follow SLUICE_TEST_KUBERNETES. kubectl does not: only tests speak to it, and in the words of one version. */
const VERSIONED: ReadonlySet<ToolName> = new Set(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet']);

export interface Build {
  /** Where Go runs. */
  readonly module: string;
  readonly flags: readonly string[];
  /** The folder of the program. */
  readonly target: string;
  /** The version of Kubernetes whose module has to be written first. */
  readonly kubernetes?: string;
}

/** How a program is built; once it is, `target` has it. */
export function buildOf({ name, module }: Pick<Tool, 'name' | 'module'>, env: Env = process.env): Build {
  const kubernetes = VERSIONED.has(name) ? askedKubernetes(env) : DEFAULT_KUBERNETES;
  if (kubernetes === DEFAULT_KUBERNETES) return { module: join(MODULES, module), flags: buildFlags(module), target: cacheDir(module, env) };
  const flags = buildFlags(module, kubernetes);
  const contents = [process.platform, process.arch, ...flags].join('\n');
  const target = cacheFolder(`kubernetes-${PATCHES[kubernetes]}`, [contents], env);
  return { module: join(target, 'module'), flags, target, kubernetes };
}

/** Where a program is, or will be once built. */
export function toolPath(tool: Pick<Tool, 'name' | 'module'>, env: Env = process.env): string {
  const assets = env['KUBEBUILDER_ASSETS'];
  const { target, kubernetes } = buildOf(tool, env);
  const isAsset = assets !== undefined && kubernetes === undefined && existsSync(join(assets, tool.name));
  return join(isAsset ? assets : target, tool.name);
}

/** Those that still have to be built. */
export function missingTools(wanted: Wanted, env: Env = process.env): readonly Tool[] {
  return wantedTools(wanted).filter((tool) => !existsSync(toolPath(tool, env)));
}

/** The programs of the control plane; throws when some have to be built first. */
export function tools(env: Env = process.env): Tools {
  return built(CONTROL_PLANE, env);
}

/** The programs of the node; throws when some have to be built first. */
export function nodeTools(env: Env = process.env): NodeTools {
  return built(NODE, env);
}

/** The path of the program that reads objects as kstatus, Argo CD and helm do; throws when it has to be built first. */
export function gitopsReader(env: Env = process.env): string {
  return built(TESTS, env)['gitops-reader'];
}

/** The path of csi-sanity; throws when it has to be built first. */
export function sanityTool(env: Env = process.env): string {
  return built(TESTS, env)['csi-sanity'];
}

/** The programs of the tests of engines; throws when some have to be built first. */
export function engineTools(env: Env = process.env): EngineTools {
  return built(ENGINES, env);
}

function built<Name extends ToolName>(wanted: readonly Tool<Name>[], env: Env): Readonly<Record<Name, string>> {
  const paths = wanted.map((tool) => [tool.name, toolPath(tool, env)] as const);
  const missing = paths.filter(([, path]) => !existsSync(path)).map(([name]) => name);
  if (missing.length > 0) throw new Error(`not built yet: ${missing.join(', ')}; run: bash scripts/setup.sh, or npm run engines`);
  // fromEntries forgets that every name is there.
  return Object.fromEntries(paths) as Record<Name, string>;
}
