/** `sluice webhook` as a process of its own, and what it knows Datasets by. */
import { request } from 'node:https';
import type { KubeObject } from '../../src/kube/types.ts';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { type ControllerProcess, startCommand } from './controller-process.ts';

export interface WebhookProcess extends ControllerProcess {
  readonly port: number;
  /** The text of `/readyz`; `ok` once it is ready. */
  ready(): Promise<string>;
  metrics(): Promise<string>;
  /** Asks as an API server would, for the creation of a pod; returns the denial, or undefined. */
  admit(pod: KubeObject): Promise<{ readonly code: number; readonly message: string } | undefined>;
  /** The same for the creation of an object of Sluice's kinds. */
  validate(object: KubeObject): Promise<{ readonly code: number; readonly message: string } | undefined>;
}

/** Resolves when it serves admissions, on a free port. Default program: the sources. */
export async function startWebhook(
  kubeconfig: string,
  program?: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<WebhookProcess> {
  const argv = ['webhook', '--kubeconfig', kubeconfig, '--port', '0', '--metrics-addr', '127.0.0.1:0', ...flags];
  const command = startCommand(argv, { MY_POD_NAMESPACE: 'fluid-system', ...env }, program);
  await command.says('serving admissions');
  const portIn = (message: string): number => {
    const line = command.lines.find((each) => each.includes(message)) ?? '{}';
    return (JSON.parse(line) as { readonly port: number }).port;
  };
  const [port, health] = [portIn('serving admissions'), portIn('serving /healthz')];
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${health}${path}`)).text();
  return {
    ...command,
    port,
    ready: async () => (await ask('/readyz')).trim(),
    metrics: () => ask('/metrics'),
    admit: (pod) => admission(port, webhookNames.path, 'pods', pod),
    validate: (object) => admission(port, webhookNames.validationPath, '', object),
  };
}

function admission(port: number, path: string, plural: string, object: KubeObject): ReturnType<WebhookProcess['admit']> {
  const resource = { group: '', version: 'v1', resource: plural };
  const { namespace } = object.metadata;
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', namespace, operation: 'CREATE', resource, object },
  };
  return new Promise((resolve, reject) => {
    // The certificate is another test's matter.
    const options = { host: '127.0.0.1', port, path, method: 'POST', rejectUnauthorized: false, agent: false };
    const asked = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => {
        const { response: answer } = JSON.parse(text) as { response: { status?: { code: number; message: string } } };
        resolve(answer.status);
      });
    });
    asked.on('error', reject).end(JSON.stringify(review));
  });
}

/** A pod that asks for sidecars and mounts this claim. */
export const podThatMounts = (claimName: string, metadata: object = {}, labels: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'app', labels: { 'serverless.fluid.io/inject': 'true', ...labels }, ...metadata },
  spec: {
    containers: [{ name: 'main', image: 'example.io/app', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  },
});

/** The claim of a Dataset, as the controller makes it. */
export const claimOf = (dataset: string, namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: dataset, namespace, labels: { [`fluid.io/s-${namespace}-${dataset}`]: 'true', 'fluid.io/managed-by': dataset } },
  spec: {
    accessModes: ['ReadOnlyMany'],
    storageClassName: 'fluid',
    volumeName: `${namespace}-${dataset}`,
    resources: { requests: { storage: '1Gi' } },
  },
});

/** The fuse DaemonSet of a runtime, of which nothing runs. */
export function fuseOf({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject): KubeObject {
  const labels = { role: 'fuse', release: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: `${name}-fuse`, labels, ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { nodeSelector: { never: 'there' }, containers: [{ name: 'fuse', image: 'example.io/fuse' }] },
      },
    },
  };
}
