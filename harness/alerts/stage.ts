/** A control plane with the programs of Sluice, and the Prometheus that watches them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { resources } from '../../runtimes/_resources.gen.ts';
import type { Manifest } from '../../src/api/index.ts';
import { installationOf, settled as settle } from '../../src/install/index.ts';
import type { Settled } from '../../src/install/settled.ts';
import type { Time } from '../../src/monitoring/alerts/alert.ts';
import { startMountNode, type TestNode, whyNoMounts } from '../../test/csi/real-mounts/mount-node.ts';
import type { TestPlugin } from '../../test/csi/real-mounts/plugin.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { freePorts } from '../control-plane/ports.ts';
import { type Gate, startGate } from './gate.ts';
import { type Program, startProgram } from './processes.ts';
import { type Prometheus, startPrometheus, type Target } from './prometheus.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
export const NAMESPACE = 'fluid-system';

/** A program of Sluice that a fault may end, and that starts again at the same ports. */
export interface Part {
  /** @param more flags, besides its own */
  start(...more: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}
export interface Stage {
  readonly plane: ControlPlane;
  readonly prometheus: Prometheus;
  readonly settled: Settled;
  /** The way of controllers and webhook to the API server. */
  readonly gate: Gate;
  readonly controllers: readonly Part[];
  readonly webhook: Part & { readonly port: number };
  /** Absent where this machine mounts nothing. */
  readonly node?: { readonly mounts: TestNode; plugin(): TestPlugin; readonly part: Part };
  /** The installation's object of this kind, to apply it again. */
  manifest(kind: string): Manifest;
  stop(): Promise<void>;
}

/** @param interval seconds between scrapes */
export async function startStage({ time, interval }: { readonly time: Time; readonly interval: number }): Promise<Stage> {
  const endings: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of endings.toReversed()) await end().catch((error: unknown) => console.error(String(error)));
  };
  try {
    const plane = await startControlPlane({ nodes: 3 });
    endings.push(() => plane.stop());
    const settled = settle({ webhook: { validation: true }, monitoring: { enabled: true } }, 'sluice:1');
    const manifests = installationOf(settled, { resources, runtimes });
    const manifest = (kind: string) => manifests.find((each) => each.kind === kind) as Manifest;
    // Pods of the installation are processes here.
    const parts = ['Namespace', 'Secret', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', 'CustomResourceDefinition'];
    for (const kinds of [parts.slice(0, 2), ['CustomResourceDefinition']])
      await plane.kubectlApply(
        manifests
          .filter(({ kind }) => kinds.includes(kind))
          .map((each) => stringify(each))
          .join('---\n'),
      );
    await plane.kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
    await plane.kubectlApply(
      parts
        .slice(2, 4)
        .map((kind) => stringify(manifest(kind)))
        .join('---\n'),
    );

    const folder = join(plane.dir, 'alerts');
    mkdirSync(folder);
    const gate = await startGate({ host: '127.0.0.1', port: Number(new URL(plane.server).port) });
    endings.push(() => gate.close());
    const kubeconfig = join(folder, 'kubeconfig');
    const text = readFileSync(plane.kubeconfig, 'utf8').replaceAll(plane.server, `https://127.0.0.1:${gate.port}`);
    writeFileSync(kubeconfig, text, { mode: 0o600 });

    const [a = 0, b = 0, c = 0, d = 0, admissions = 0] = await freePorts(5);
    const partOf = (name: string, begun: string, argv: readonly string[]): Part => {
      let program: Program | undefined;
      const part: Part = {
        async start(...more) {
          const env = { MY_POD_NAMESPACE: NAMESPACE, MY_POD_NAME: name };
          program = startProgram([process.execPath, MAIN, ...argv, ...more], { env, log: join(folder, `${name}.log`) });
          await program.says(begun);
        },
        stop: async () => program?.stop('SIGKILL'),
      };
      endings.push(() => part.stop());
      return part;
    };
    const controller = (name: string, port: number, ...flags: readonly string[]) =>
      partOf(name, 'serving /healthz', [
        'reconcile',
        '--kubeconfig',
        kubeconfig,
        `--metrics-addr=127.0.0.1:${port}`,
        '--probe-interval=2s',
        ...flags,
      ]);
    const controllers = [controller('sluice-controller-a', a), controller('sluice-controller-b', b)];
    const webhook = partOf('sluice-webhook-a', 'serving admissions', [
      'webhook',
      '--validate',
      `--kubeconfig=${kubeconfig}`,
      `--port=${admissions}`,
      `--metrics-addr=127.0.0.1:${c}`,
    ]);
    const node = whyNoMounts() === undefined ? await startNode(plane.kubeconfig, d) : undefined;
    if (node) endings.push(() => node.mounts.close());

    const pki = (file: string) => join(plane.dir, 'pki', file);
    const prometheus = await startPrometheus({
      folder: join(folder, 'prometheus'),
      settled,
      time,
      interval,
      apiServer: { address: new URL(plane.server).host, ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') },
    });
    endings.push(() => prometheus.stop());
    await Promise.all([...controllers, webhook, ...(node ? [node.part] : [])].map((part) => part.start()));
    const target = (job: string, pod: string, port: number): Target => ({ job, pod, port, node: 'node-0' });
    prometheus.targets([
      target('sluice-controller', 'sluice-controller-a', a),
      target('sluice-controller', 'sluice-controller-b', b),
      target('sluice-webhook', 'sluice-webhook-a', c),
      ...(node ? [target('sluice-csi', 'sluice-csi-a', d)] : []),
    ]);
    return {
      plane,
      prometheus,
      settled,
      gate,
      controllers,
      webhook: { ...webhook, port: admissions },
      ...(node && { node }),
      manifest,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The node plugin, in mount namespaces of its own. */
async function startNode(kubeconfig: string, port: number): Promise<NonNullable<Stage['node']>> {
  const mounts = await startMountNode();
  let running: TestPlugin | undefined;
  const places = ['--kubelet-dir', mounts.kubelet, '--mount-root', mounts.mountRoot, '--pod-logs-dir', join(mounts.dir, 'pod-logs')];
  const argv = [
    process.execPath,
    MAIN,
    'csi',
    '--node-id=node-0',
    `--metrics-addr=127.0.0.1:${port}`,
    '--kubeconfig',
    kubeconfig,
    ...places,
  ];
  return {
    mounts,
    plugin: () => {
      if (!running) throw new Error('expected a plugin that runs, found none');
      return running;
    },
    part: {
      start: async () => void (running = await mounts.startProgram(argv)),
      stop: async () => running?.end('SIGKILL'),
    },
  };
}
