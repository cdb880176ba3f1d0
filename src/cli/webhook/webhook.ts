import { setFlagsFromString } from 'node:v8';
import { webhookNames } from '../../api/webhook-names.ts';
import { createClient } from '../../kube/client/kube-client.ts';
import type { Define } from '../command.ts';
import { createLog, logOptions } from '../log.ts';
import { settingsOf } from '../settings/config.ts';
import { allRuntimes, configOption } from '../settings/config-file.ts';
import { connect } from '../settings/connection.ts';
import { stopSignal } from '../stop-signal.ts';
import { WEBHOOK_ENVIRONMENT, warnOf, webhookConfigOf } from './config.ts';
import { serve } from './serve.ts';

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
      const theirs = await allRuntimes([], flags.config);
      // Without validations, the code of runtimes would only take memory.
      const runtimes = flags.validate ? [...(await parts.runtimes()), ...theirs] : [];
      const judge =
        flags.validate && (await import('./judge.ts')).createJudge({ runtimes, settings: settingsOf({}, process.env, runtimes) });
      keepMemoryLow(flags.validate ?? false);
      const log = createLog(flags.logLevel);
      warnOf(config.settings, log);
      const client = createClient(await connect(flags, process.env), {
        fieldManager: 'sluice-webhook',
        maxConnections: 20,
        timeoutMs: 10_000,
      });
      const resources = [...(await parts.resources()), ...theirs.map(({ resource }) => resource)];
      await serve({ config, resources, ...(judge && { judging: { judge, runtimes } }), client, log, stop: stopSignal(log) });
    });
};

function keepMemoryLow(validates: boolean): void {
  // To optimize undici's parser takes 30 MB for a moment, which the process never returns.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  // V8 gives memory back after each collection; an admission costs some more CPU, and a validation twice as much.
  // Lists are twenty times as large as what is kept of them: without the second flag, V8 keeps that garbage.
  if (!validates) for (const flag of ['--optimize-for-size', '--heap-growing-percent=10']) setFlagsFromString(flag);
}
