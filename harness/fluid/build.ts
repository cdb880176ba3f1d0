/** Fluid's own programs, built from a checkout that the caller names. Nothing of that checkout is in this repository. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findGo, type Go } from '../tools/go.ts';
import { once } from '../tools/once.ts';
import { cacheFolder } from '../tools/tools.ts';

const run = promisify(execFile);

export interface FluidBuild {
  readonly checkout: string;
  /** Has a program under each name that Fluid's images have it, and helm as `ddc-helm`. */
  readonly bin: string;
  /** The chart of Fluid itself. */
  readonly chart: string;
  /** The charts of its runtimes and operations, with which its controllers call helm. */
  readonly charts: string;
}

/** Builds all programs of the commit that the checkout has, once per machine: minutes the first time. */
export async function buildFluid(checkout: string, onProgress: (what: string) => void = () => {}): Promise<FluidBuild> {
  const charts = join(checkout, 'charts');
  const chart = join(charts, 'fluid/fluid');
  if (!existsSync(join(chart, 'Chart.yaml'))) throw new Error(`${checkout} is no checkout of Fluid: ${chart} does not exist`);
  const helm = helmVersion(checkout);
  const bin = await built('fluid-programs', checkout, [helm], onProgress, async (go, folder) => {
    const commands = readdirSync(join(checkout, 'cmd'));
    await go(checkout, 'build', '-mod=vendor', '-o', `${folder}/`, ...commands.map((name) => `./cmd/${name}`));
    for (const name of commands) renameSync(join(folder, name), join(folder, programOf(name)));
    onProgress(`building helm ${helm}`);
    await go(folder, 'install', `helm.sh/helm/v3/cmd/helm@${helm}`);
    renameSync(join(folder, 'helm'), join(folder, 'ddc-helm'));
  });
  return { checkout, bin, chart, charts };
}

/**
 * Builds the sidecar that registers Fluid's node plugin with the kubelet, of a checkout of kubernetes-csi/node-driver-registrar.
 * Returns the path of the program.
 */
export async function buildRegistrar(checkout: string, onProgress: (what: string) => void = () => {}): Promise<string> {
  const name = 'csi-node-driver-registrar';
  const bin = await built('registrar', checkout, [], onProgress, (go, folder) =>
    go(checkout, 'build', '-mod=vendor', '-o', join(folder, name), `./cmd/${name}`),
  );
  return join(bin, name);
}

type RunGo = (folder: string, ...args: readonly string[]) => Promise<void>;

/** The cache folder of what a commit is built to. */
async function built(
  name: string,
  checkout: string,
  more: readonly string[],
  onProgress: (what: string) => void,
  make: (go: RunGo, folder: string) => Promise<void>,
): Promise<string> {
  const commit = (await run('git', ['-C', checkout, 'rev-parse', 'HEAD'])).stdout.trim();
  const target = cacheFolder(name, [commit, ...more]);
  await once(target, `the programs of ${checkout}`, onProgress, async (folder) => {
    const found = findGo();
    if (!found) throw new Error('no Go was found: scripts/setup.sh installs it');
    onProgress(`building ${checkout}, commit ${commit.slice(0, 8)}`);
    const made = join(folder, 'bin');
    mkdirSync(made);
    await make((at, ...args) => runGo(found, made, at, args), made);
    return made;
  });
  return target;
}

async function runGo(go: Go, bin: string, cwd: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, ...go.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GOBIN: bin };
  await run('nice', ['-n', '19', go.path, ...args], { cwd, env, maxBuffer: 64 << 20 });
}

/** As Fluid's images have it. */
function helmVersion(checkout: string): string {
  const version = /^ARG HELM_VERSION=(v[\d.]+)$/m.exec(readFileSync(join(checkout, 'docker/Dockerfile.dataset'), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${checkout}/docker/Dockerfile.dataset has no ARG HELM_VERSION`);
  return version;
}

/** The program's name in Fluid's images, of its folder below ./cmd. */
function programOf(command: string): string {
  if (command === 'csi' || command === 'webhook') return `fluid-${command}`;
  return command === 'dataset' || command === 'fluidapp' ? `${command}-controller` : `${command}runtime-controller`;
}
