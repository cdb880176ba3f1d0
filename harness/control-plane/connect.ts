/** A control plane as seen by any process that knows its folder: everything but starting and stopping. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectApi } from './api.ts';
import { type ExecAnswers, execAnswers } from './exec-answers.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { type SimulatedNodes, simulatedNodes } from './nodes.ts';
import { issue, type KeyPair } from './pki.ts';
import { type SimulatedPods, simulatedPods } from './pod-control.ts';

/** The part that survives JSON, so that vitest can hand it from the global setup to the tests. */
export interface ControlPlaneHandle {
  readonly server: string;
  /** Path of the administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** The private folder: logs, certificates, the exec answers. Gone after stop. */
  readonly dir: string;
  /** Path of the kubectl that fits. */
  readonly kubectlPath: string;
}

/** A cluster one can talk to, whoever started it. */
export interface Cluster extends ControlPlaneHandle {
  /** A kubeconfig file for another user, who may do what RBAC says about the user and the groups. */
  kubeconfigFor(user: string, groups?: readonly string[]): Promise<string>;
  /** Runs kubectl as administrator; throws with its standard error. */
  kubectl(...args: readonly string[]): Promise<string>;
  kubectlApply(yaml: string): Promise<string>;
  /** The parsed answer to a GET of a path, as administrator. */
  get(path: string): Promise<unknown>;
  create(path: string, object: unknown): Promise<unknown>;
  delete(path: string): Promise<unknown>;
}

/** A control plane of ours, with simulated nodes. */
export interface SharedControlPlane extends Cluster {
  /** Answers of simulated pods to `exec`. */
  readonly exec: ExecAnswers;
  readonly nodes: SimulatedNodes;
  readonly pods: SimulatedPods;
  /** The audit log, one JSON object a line, when started with `audit`. */
  readonly auditLog?: string;
}

/** The control plane that another process of this run started. */
export function connectControlPlane(handle: ControlPlaneHandle): SharedControlPlane {
  const { server, dir } = handle;
  const ca = readPair(dir, 'ca');
  const api = connectApi(server, ca.certificate, readPair(dir, 'admin'));
  const auditLog = join(dir, 'audit.log');
  const { kubectl, kubectlApply } = kubectlOf(handle);
  return {
    ...handle,
    kubectl,
    kubectlApply,
    get: (path) => api.call('GET', path),
    create: (path, object) => api.call('POST', path, object),
    delete: (path) => api.call('DELETE', path),
    kubeconfigFor: async (user, groups = []) => {
      const pair = await issue(ca, { user, groups }, new Date());
      const path = join(dir, `user-${user.replaceAll(/[^\w.-]/g, '_')}-${process.hrtime.bigint()}.kubeconfig`);
      await writeFile(path, kubeconfigText({ server, ca: ca.certificate, user, credentials: pair }), { mode: 0o600 });
      return path;
    },
    exec: execAnswers(dir),
    nodes: simulatedNodes(api),
    pods: simulatedPods(api, dir),
    ...(existsSync(auditLog) ? { auditLog } : {}),
  };
}

interface Kubectl extends Pick<Cluster, 'kubectl' | 'kubectlApply'> {
  /** With this on its standard input. */
  run(args: readonly string[], input?: string): Promise<string>;
}

export function kubectlOf({ kubectlPath, kubeconfig, dir }: Omit<ControlPlaneHandle, 'server'>): Kubectl {
  const run = (args: readonly string[], input = '') =>
    new Promise<string>((resolve, reject) => {
      // A discovery cache of its own: nothing of a test's cluster may stay in the user's home.
      const argv = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(dir, 'kubectl-cache')}`, ...args];
      // A kubectl ends before garbage collection pays: without it, it takes two thirds of the time.
      const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '256MiB' };
      const child = execFile(kubectlPath, argv, { env, maxBuffer: 256 << 20 }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`kubectl ${args.join(' ')}: ${stderr.trim() || error.message}`, { cause: error }));
      });
      // One that ends before it has read its input says itself why.
      child.stdin?.on('error', () => {}).end(input);
    });
  return { run, kubectl: (...args) => run(args), kubectlApply: (yaml) => run(['apply', '-f', '-'], yaml) };
}

function readPair(dir: string, name: string): KeyPair {
  const read = (extension: string) => readFileSync(join(dir, 'pki', `${name}.${extension}`), 'utf8');
  return { certificate: read('crt'), key: read('key') };
}
