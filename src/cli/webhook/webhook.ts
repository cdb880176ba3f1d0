import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { webhookNames } from '../../api/webhook-names.ts';
import { createClient } from '../../kube/client/kube-client.ts';
import { type Certificates, keepCertificates } from '../../webhook/certificates/certificates.ts';
import type { Material } from '../../webhook/certificates/material.ts';
import { createAdmissions } from '../../webhook/server/admit.ts';
import { type Admit, serveWebhook, type WebhookServer } from '../../webhook/server/https-server.ts';
import { admissionMetrics } from '../../webhook/server/metrics.ts';
import { createValidations } from '../../webhook/server/validate.ts';
import { validationMetrics } from '../../webhook/server/validation-metrics.ts';
import { otherHalves } from '../../webhook/watches/other-halves.ts';
import type { Knowledge } from '../../webhook/knowledge.ts';
import { startWatches } from '../../webhook/watches/watches.ts';
import type { Define } from '../command.ts';
import { messageOf, Refused } from '../errors.ts';
import { serveHealth } from '../health.ts';
import { createLog, logOptions } from '../log.ts';
import { imageOfPod } from '../own-image.ts';
import { checkVersion } from '../reconcile/preflight.ts';
import { settingsOf } from '../settings/config.ts';
import { allRuntimes, configOption } from '../settings/config-file.ts';
import { connect } from '../settings/connection.ts';
import { stopSignal, whenAborted } from '../stop-signal.ts';
import { prefetcherOf, WEBHOOK_ENVIRONMENT, warnOf, webhookConfigOf } from './config.ts';

interface Flags {
  readonly port: string;
  readonly metricsAddr: string;
  readonly kubeconfig?: string;
  readonly config?: string;
  readonly validate?: boolean;
  readonly logLevel: string;
}

const HELP = `
The webhook puts FUSE clients into pods that ask for them, and hints for the scheduler into pods that mount Datasets. It
makes its certificate itself, shares it with other replicas through the Secret fluid-webhook-certs, and writes the CA
bundle into the MutatingWebhookConfiguration fluid-pod-admission-webhook.

With --validate it also judges Datasets, runtimes and operations that are written, as \`sluice diff --offline\` does, for the
ValidatingWebhookConfiguration sluice-validation. It then reads the environment that influences manifests, too.
${WEBHOOK_ENVIRONMENT}

Examples:
  sluice webhook                                  in a pod, with its service account
  sluice webhook --port 9443 --kubeconfig ~/.kube/config

Exit codes:
  0  stopped by SIGTERM or SIGINT
  1  did not start: no API server, Kubernetes too old, or a port cannot be served
  2  bad usage`;

/** API servers go on sending requests until they see that the pod is no longer an endpoint of the Service. */
const LINGER_MS = 5_000;
/** With what came before, less than the 30 s after which the kubelet kills. */
const STOP_MS = 20_000;

export const define: Define = (command, parts) => {
  command
    .option('--port <port>', 'port of the webhook', '9443')
    .option('--metrics-addr <host:port>', 'address of /healthz, /readyz and /metrics; 0 = none', ':8080')
    .option('--validate', `also judge Datasets, runtimes and operations that are written, at ${webhookNames.validationPath}`)
    .addOption(configOption())
    .option('--kubeconfig <file>', 'how to reach the cluster (default: KUBECONFIG; in a pod its service account; else ~/.kube/config)')
    .addOption(logOptions())
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const config = webhookConfigOf(flags, process.env);
      const { port, address, namespace } = config;
      const theirs = await allRuntimes([], flags.config);
      // Without validations, the code of runtimes would only take memory.
      const runtimes = flags.validate ? [...(await parts.runtimes()), ...theirs] : [];
      const judge =
        flags.validate && (await import('./judge.ts')).createJudge({ runtimes, settings: settingsOf({}, process.env, runtimes) });
      // To optimize undici's parser takes 30 MB for a moment, which the process never returns.
      setFlagsFromString('--no-wasm-tier-up');
      setFlagsFromString('--no-wasm-dynamic-tiering');
      // V8 gives memory back after each collection; an admission costs some more CPU, and a validation twice as much.
      // Lists are twenty times as large as what is kept of them: without the second flag, V8 keeps that garbage.
      if (!flags.validate) for (const flag of ['--optimize-for-size', '--heap-growing-percent=10']) setFlagsFromString(flag);
      const log = createLog(flags.logLevel);
      warnOf(config.settings, log);
      const connection = await connect(flags, process.env);
      const client = createClient(connection, { fieldManager: 'sluice-webhook', maxConnections: 20, timeoutMs: 10_000 });
      const stop = stopSignal(log);
      const registry = new Registry();
      if (address) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
      const metrics = admissionMetrics(registry);
      let watches: Knowledge | undefined;
      let certificates: Certificates | undefined;
      let server: WebhookServer | undefined;
      const ready = (): string | undefined => {
        if (stop.aborted) return 'the webhook stops';
        return certificates?.notReady() ?? watches?.notReady() ?? (server ? undefined : 'the webhook starts');
      };
      // First: replicas without probes would not be taken out of the Service.
      const health =
        address &&
        (await serveHealth(address.host, address.port, { alive: () => undefined, ready }, registry).catch(
          cannotServe(`--metrics-addr ${flags.metricsAddr}`),
        ));
      if (health) log.info({ port: health.port }, 'serving /healthz, /readyz and /metrics');
      try {
        await checkVersion(client, log);
        const kinds = [...(await parts.resources()), ...theirs.map(({ resource }) => resource)].filter(({ plural }) =>
          plural.endsWith('runtimes'),
        );
        const isNamed = (config.prefetcherImage ?? config.image) !== undefined;
        const ours = isNamed ? undefined : await imageOfPod(client, process.env, 'webhook', log, stop);
        const settings = { ...config.settings, prefetcher: prefetcherOf(config, ours) };
        watches = startWatches({ client, runtimes: kinds, namespace, onProfileFault: metrics.profiled, log });
        const admit = createAdmissions({ knowledge: watches, settings, random: () => randomBytes(6).toString('hex'), metrics, log });
        const routes = new Map<string, Admit>([[webhookNames.path, admit]]);
        const judging = judge && validationMetrics(registry);
        if (judging) {
          const read = otherHalves({ client, known: watches.known, runtimes });
          routes.set(webhookNames.validationPath, createValidations({ judge, read, metrics: judging, log }));
        }
        let pair: Material | undefined;
        const served = new Promise<void>((resolve) => {
          const onServe = (material: Material, expires: number): void => {
            pair = material;
            metrics.certificateEnds(expires);
            server?.use(material);
            resolve();
          };
          const onValidationEntries = judging ? judging.configured : undefined;
          certificates = keepCertificates({
            client,
            namespace,
            onServe,
            onEntries: metrics.configured,
            ...(onValidationEntries && { onValidationEntries }),
            log,
          });
        });
        await Promise.race([served, whenAborted(stop)]);
        if (!pair) return;
        server = await serveWebhook(port, pair, routes, log).catch(cannotServe(`--port ${port}`));
        // Another one may have come while the port was opened.
        server.use(pair);
        log.info({ port: server.port }, 'serving admissions');
        await whenAborted(stop);
        // The served certificate lasts; the Secret of an installation that is being removed must not be written again.
        certificates?.stop();
        server.drain();
        await setTimeout(LINGER_MS);
      } finally {
        certificates?.stop();
        watches?.stop();
        const ended = Promise.all([server?.stop(), health?.stop(), client.close()]);
        await Promise.race([ended, setTimeout(STOP_MS, undefined, { ref: false })]);
        log.info({}, 'stopped');
      }
    });
};

const cannotServe =
  (what: string) =>
  (error: unknown): never => {
    throw new Refused(`${what} cannot be served: ${messageOf(error)}`, { cause: error });
  };
