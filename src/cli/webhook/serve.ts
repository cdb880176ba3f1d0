import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { CustomResource } from '../../api/resource.ts';
import { webhookNames } from '../../api/webhook-names.ts';
import type { Runtime } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { Log } from '../../kube/types.ts';
import { type Certificates, keepCertificates } from '../../webhook/certificates/certificates.ts';
import type { Material } from '../../webhook/certificates/material.ts';
import type { Knowledge } from '../../webhook/knowledge.ts';
import { createAdmissions } from '../../webhook/server/admit.ts';
import { type Admit, type Routes, serveWebhook, type WebhookServer } from '../../webhook/server/https-server.ts';
import { type AdmissionMetrics, admissionMetrics } from '../../webhook/server/metrics.ts';
import { createValidations } from '../../webhook/server/validate.ts';
import { type ValidationMetrics, validationMetrics } from '../../webhook/server/validation-metrics.ts';
import type { Judge } from '../../webhook/validation/judge.ts';
import { otherHalves } from '../../webhook/watches/other-halves.ts';
import { startWatches } from '../../webhook/watches/watches.ts';
import { messageOf, Refused } from '../errors.ts';
import { serveHealth } from '../health.ts';
import { imageOfPod } from '../own-image.ts';
import { checkVersion } from '../reconcile/preflight.ts';
import { whenAborted } from '../stop-signal.ts';
import { prefetcherOf, type WebhookConfig } from './config.ts';

export interface WebhookProcess {
  readonly config: WebhookConfig;
  /** Kinds of the package and of vendors; of these, runtimes are watched. */
  readonly resources: readonly CustomResource[];
  /** Absent: objects of Sluice's kinds are not judged. */
  readonly judging?: { readonly judge: Judge; readonly runtimes: readonly Runtime[] };
  /** Closed at the end. */
  readonly client: KubeClient;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** API servers go on sending requests until they see that the pod is no longer an endpoint of the Service. */
const LINGER_MS = 5_000;
/** With what came before, less than the 30 s after which the kubelet kills. */
const STOP_MS = 20_000;

/** Runs the webhook until `stop`: health first, then what it knows and its certificate, then admissions. */
export async function serve(webhook: WebhookProcess): Promise<void> {
  const { config, client, log, stop } = webhook;
  const { port, address } = config;
  const registry = new Registry();
  if (address) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const metrics: Metrics = {
    admissions: admissionMetrics(registry),
    ...(webhook.judging && { validations: validationMetrics(registry) }),
  };
  let watches: Knowledge | undefined;
  let served: ServedCertificate | undefined;
  let server: WebhookServer | undefined;
  const ready = (): string | undefined => {
    if (stop.aborted) return 'the webhook stops';
    return served?.certificates.notReady() ?? watches?.notReady() ?? (server ? undefined : 'the webhook starts');
  };
  // First: replicas without probes would not be taken out of the Service.
  const health =
    address &&
    (await serveHealth(address.host, address.port, { alive: () => undefined, ready }, registry).catch(
      cannotServe(`--metrics-addr ${address.host}:${address.port}`),
    ));
  if (health) log.info({ port: health.port }, 'serving /healthz, /readyz and /metrics');
  try {
    await checkVersion(client, log);
    const image = await ownImage(webhook);
    watches = startWatches({
      client,
      runtimes: webhook.resources.filter(({ plural }) => plural.endsWith('runtimes')),
      namespace: config.namespace,
      onProfileFault: metrics.admissions.profiled,
      log,
    });
    const routes = routesOf(webhook, { watches, image, metrics });
    served = keepServed(webhook, metrics, (material) => server?.use(material));
    await Promise.race([served.first, whenAborted(stop)]);
    const pair = served.latest();
    if (!pair) return;
    server = await serveWebhook(port, pair, routes, log).catch(cannotServe(`--port ${port}`));
    // Another one may have come while the port was opened.
    server.use(served.latest() ?? pair);
    log.info({ port: server.port }, 'serving admissions');
    await whenAborted(stop);
    // The served certificate lasts; the Secret of an installation that is being removed must not be written again.
    served.certificates.stop();
    server.drain();
    await setTimeout(LINGER_MS);
  } finally {
    served?.certificates.stop();
    watches?.stop();
    const ended = Promise.all([server?.stop(), health?.stop(), client.close()]);
    await Promise.race([ended, setTimeout(STOP_MS, undefined, { ref: false })]);
    log.info({}, 'stopped');
  }
}

interface Metrics {
  readonly admissions: AdmissionMetrics;
  readonly validations?: ValidationMetrics;
}

/** The image of file prefetchers, unless a variable names one. */
async function ownImage({ config, client, log, stop }: WebhookProcess): Promise<string | undefined> {
  const isNamed = (config.prefetcherImage ?? config.image) !== undefined;
  return isNamed ? undefined : imageOfPod(client, process.env, 'webhook', log, stop);
}

interface Served {
  readonly watches: Knowledge;
  readonly image: string | undefined;
  readonly metrics: Metrics;
}

function routesOf({ config, judging, client, log }: WebhookProcess, { watches, image, metrics }: Served): Routes {
  const settings = { ...config.settings, prefetcher: prefetcherOf(config, image) };
  const random = () => randomBytes(6).toString('hex');
  const admit = createAdmissions({ knowledge: watches, settings, random, metrics: metrics.admissions, log });
  const routes = new Map<string, Admit>([[webhookNames.path, admit]]);
  if (judging && metrics.validations) {
    const read = otherHalves({ client, known: watches.known, runtimes: judging.runtimes });
    routes.set(webhookNames.validationPath, createValidations({ judge: judging.judge, read, metrics: metrics.validations, log }));
  }
  return routes;
}

interface ServedCertificate {
  readonly certificates: Certificates;
  /** Resolves when there is one. */
  readonly first: Promise<void>;
  latest(): Material | undefined;
}

function keepServed({ config, client, log }: WebhookProcess, metrics: Metrics, use: (material: Material) => void): ServedCertificate {
  let latest: Material | undefined;
  const { promise: first, resolve } = Promise.withResolvers<void>();
  const certificates = keepCertificates({
    client,
    namespace: config.namespace,
    onServe(material, expires) {
      latest = material;
      metrics.admissions.certificateEnds(expires);
      use(material);
      resolve();
    },
    onEntries: metrics.admissions.configured,
    ...(metrics.validations && { onValidationEntries: metrics.validations.configured }),
    log,
  });
  return { certificates, first, latest: () => latest };
}

const cannotServe =
  (what: string) =>
  (error: unknown): never => {
    throw new Refused(`${what} cannot be served: ${messageOf(error)}`, { cause: error });
  };
