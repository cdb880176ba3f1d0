/** The control plane of `sluice playground`: an API server in memory behind HTTPS, with simulated nodes and pods. */
import { randomBytes } from 'node:crypto';
import { createControllers } from '../api-server/controllers/index.ts';
import { type ApiServer, createApiServer } from '../api-server/index.ts';
import { CustomResourceDefinition } from '../api-server/kinds.ts';
import { createSchemas, type Schemas } from '../api-server/schema/index.ts';
import { createWire } from '../api-server/wire/serve.ts';
import { systemClock } from '../kube/clock.ts';
import type { KubeObject } from '../kube/types.ts';
import { issue } from '../webhook/certificates/issue.ts';
import { createCronJobs } from './cron-jobs.ts';
import { establish, followDefinitions } from './definitions.ts';
import { createDocuments } from './documents.ts';
import { createEngines } from './engines/engines.ts';
import { serveExec } from './exec.ts';
import { createWireListener } from './https.ts';
import { inTime } from './in-time.ts';
import { createKubelets } from './kubelets.ts';
import { cleanEvents } from './pod-events.ts';
import { simulatedNodes } from './nodes.ts';
import { review } from './reviews.ts';
import { subresource } from './subresources.ts';
import { startTurns } from './turns.ts';
import { createWebhooks } from './webhooks.ts';

export interface PlaygroundOptions {
  /** The first objects: definitions, which come first, rights, configurations. */
  readonly manifests: readonly KubeObject[];
  /** How many nodes are simulated. */
  readonly nodes: number;
  /** 0: a free one. */
  readonly port: number;
  /** An error that is none of a client's. */
  readonly onFault: (error: unknown) => void;
}

export interface Playground {
  readonly url: string;
  /** Text of a kubeconfig with one user, who may do everything. */
  readonly kubeconfig: string;
  readonly server: ApiServer;
  /** From now on webhooks are asked at this port of this machine. */
  useWebhook(port: number): void;
  stop(): Promise<void>;
}

/** The context's name in its kubeconfig. */
export const CONTEXT = 'sluice-playground';
const HOST = '127.0.0.1';
const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
/** How far a watch may go back. */
const HISTORY = { changes: 20_000, characters: 16 << 20 };

/** How often old events are deleted, ms. */
const CLEANED_MS = 60_000;

/** Serves as soon as it returns. Throws what Node does for a port that cannot be served. */
export async function startPlayground({ manifests, nodes, port, onFault }: PlaygroundOptions): Promise<Playground> {
  const { wall: now } = systemClock;
  let latest = createSchemas([]);
  const schemas: Schemas = {
    knows: (...args) => latest.knows(...args),
    read: (...args) => latest.read(...args),
    checkApplied: (...args) => latest.checkApplied(...args),
    validate(target, ...args) {
      const validate = () => latest.validate(target, ...args);
      const name = `${target.type.plural}.${target.type.group}`;
      const isOurs = ours.get(name) === server.get(CustomResourceDefinition.kind, undefined, name)?.['spec'];
      if (isOurs) validate();
      else inTime(validate);
    },
  };
  /** Specs of the definitions that it begins with. */
  const ours = new Map<string, unknown>();
  const server = createApiServer({ schemas, namespaces: NAMESPACES, now, history: HISTORY });
  const definitions = followDefinitions(server, (next) => {
    latest = next;
  });
  const isDefinition = ({ kind }: KubeObject) => kind === CustomResourceDefinition.kind;
  for (const object of manifests.filter(isDefinition)) server.put(object, CONTEXT);
  // Once for all: each time takes them all.
  definitions();
  for (const { metadata, spec } of server.all(CustomResourceDefinition.kind)) ours.set(metadata.name, spec);
  for (const object of [...manifests.filter((each) => !isDefinition(each)), ...simulatedNodes(nodes, now())]) server.put(object, CONTEXT);

  let webhookPort: number | undefined;
  const token = randomBytes(24).toString('base64url');
  const documents = createDocuments(definitions, now);
  const wire = createWire({
    server,
    types: () => definitions().types,
    document: documents.document,
    webhooks: createWebhooks(server, () => webhookPort),
    table: documents.table,
    review,
    subresource: (request) => subresource(server, definitions().served, request),
  });
  const material = await issue({ older: [] }, ['localhost'], now());
  const { server: listener, listen } = createWireListener({ key: material.key, cert: material.certificate }, token, wire, onFault);
  const exec = serveExec(listener, server, token, createEngines());
  // Before anything runs that would keep the process when the port is taken.
  const url = `https://${HOST}:${await listen(port, HOST)}`;

  const said = new Set<string>();
  /** Said once: what cannot be read would be met at each turn. */
  const onUnreadable = (error: unknown): void => {
    if (said.has(String(error))) return;
    said.add(String(error));
    onFault(error);
  };
  // Kubelets of the playground take their time.
  const { pods: _, ...controllers } = createControllers(server).tasks;
  const tasks = [
    establish(server),
    createCronJobs(server, systemClock),
    ...Object.values(controllers),
    ...createKubelets(server, systemClock),
  ];
  // Watches of a kind end with its definition, whether anybody asks or not.
  server.follow(({ object, old }) => {
    if ((object ?? old)?.kind === CustomResourceDefinition.kind && object?.['spec'] !== old?.['spec']) definitions();
  });
  const turns = startTurns(server, tasks, systemClock, onUnreadable);
  const cleaning = setInterval(() => cleanEvents(server, systemClock), CLEANED_MS);

  return {
    url,
    kubeconfig: kubeconfigOf(url, material.authorities.join('\n'), token),
    server,
    useWebhook(at) {
      webhookPort = at;
    },
    async stop() {
      turns.stop();
      clearInterval(cleaning);
      listener.closeAllConnections();
      exec.close();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** In JSON, which is YAML. */
function kubeconfigOf(server: string, ca: string, token: string): string {
  const name = CONTEXT;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
