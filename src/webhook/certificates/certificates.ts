import { X509Certificate } from 'node:crypto';
import { webhookNames } from '../../api/webhook-names.ts';
import { backoff, type Clock, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { createQueue, type Outcome, type PassInfo, settled } from '../../kube/turns/queue.ts';
import type { KubeObject, Log } from '../../kube/types.ts';
import { reflect } from '../../kube/watch/reflector.ts';
import { whyStale } from '../../kube/watch/staleness.ts';
import { bundlePatch, CONFIGURATION, entriesFor, hasAll, isTrusted } from './ca-bundle.ts';
import { issue } from './issue.ts';
import { bundleOf, decide, isFit, issuersOf, type Material } from './material.ts';
import { createRenewalPace } from './renewal-pace.ts';
import { readSecret, SECRET, writeSecret } from './secret.ts';

export interface CertificatesOptions {
  readonly client: KubeClient;
  /** The namespace of the Service and of the Secret. */
  readonly namespace: string;
  /** Called with the first certificate, and with each that takes its place. */
  readonly onServe: (material: Material, expires: number) => void;
  /** Called with the number of entries by which API servers ask this webhook: when it is known, and when it is another one. */
  readonly onEntries: (count: number) => void;
  readonly log: Log;
  readonly clock?: Clock;
}
export interface Certificates {
  /** Why the API server would not trust this process now. */
  notReady(): string | undefined;
  stop(): void;
}

/** API servers know a new bundle by then. A certificate that still works is served until then. */
const SETTLE_MS = 10_000;
/** Timers of Node are shorter than a certificate, and a machine may sleep. */
const LOOK_MS = 3600_000;

/**
 * Keeps the certificate that is served, and the CA bundle by which API servers trust it, as the Secret says; and the Secret, so that it
 * says something valid. Replicas agree by the Secret: whoever writes first, the others take that (docs/adr/0027-certificates-through-one-secret.md).
 */
export function keepCertificates({ client, namespace, onServe, onEntries, log, clock = systemClock }: CertificatesOptions): Certificates {
  const name = { namespace, name: webhookNames.secret };
  const host = `${webhookNames.service}.${namespace}.svc`;
  const hosts = [host, `${host}.cluster.local`, 'localhost'] as const;
  const stopped = new AbortController();
  const { signal } = stopped;
  const writing = { signal, retries: 0 };
  const pace = createRenewalPace(clock);
  /** The Secret as last seen: by the watch, by a read, or in the answer to a write. */
  let live: KubeObject | undefined;
  let served: Material | undefined;
  let entries: number | undefined;
  let problem: string | undefined;
  /** Since when API servers trust a certificate that is not served yet, elapsed ms. */
  let trusted: { readonly certificate: string; readonly since: number } | undefined;
  /** Since when the configuration has authorities that this bundle does not need, elapsed ms. Replicas whose clocks differ disagree about that. */
  let excess: { readonly bundle: string; readonly since: number } | undefined;
  const queue = createQueue({ concurrency: 1, work, eventBackoffMs: 0, clock });

  const selection = (of: string) => ({ fieldSelector: `metadata.name=${of}`, log, clock });
  const secrets = reflect(client, SECRET, {
    ...selection(name.name),
    namespace,
    onChange(change) {
      live = change.type === 'deleted' ? undefined : change.object;
      run();
    },
    onSynced: run,
  });
  const configurations = reflect(client, CONFIGURATION, {
    ...selection(webhookNames.configuration),
    onChange: configured,
    onSynced: configured,
  });

  /** A webhook that nobody asks can deny nothing: only the log and the metric tell that pods start without their sidecars. */
  function configured(): void {
    run();
    if (!configurations.status.synced) return;
    const count = entriesFor(configurations.get(undefined, webhookNames.configuration), namespace);
    if (count === entries) return;
    entries = count;
    onEntries(count);
    const fields = { configuration: webhookNames.configuration, entries: count };
    if (count > 0) log.info(fields, 'API servers ask this webhook');
    else
      log.warn(fields, 'no entry of the MutatingWebhookConfiguration leads to this webhook: pods that ask for sidecars start without them');
  }

  function run(): void {
    if (secrets.status.synced) queue.add(name.name);
  }

  async function work(_: string, { failures }: PassInfo): Promise<Outcome> {
    try {
      const outcome = await pass();
      problem = undefined;
      return outcome;
    } catch (error) {
      const afterMs = backoff(failures + 1, clock.random);
      if (signal.aborted) return { kind: 'failed', afterMs };
      problem = error instanceof Error ? error.message : String(error);
      log.warn({ error: problem, retryMs: Math.round(afterMs) }, 'the certificate or the CA bundle of the webhook is not as it should be');
      return { kind: 'failed', afterMs };
    }
  }

  async function pass(): Promise<Outcome> {
    const now = clock.wall();
    const basis = live;
    const decision = decide(basis && ((basis['data'] ?? {}) as Readonly<Record<string, string>>), host, now);
    if (decision.do === 'renew') {
      // One certificate that works is served while the Secret lacks anything.
      if (decision.serve) serve(decision.serve);
      const left = pace.left();
      if (left > 0) {
        const fields = { because: decision.because, retryMs: Math.round(left) };
        log.warn(fields, 'the certificate was made again and again: do the clocks of the nodes of the replicas differ?');
        return settled(left);
      }
      const older = [...new Set([...(served && isFit(served, host, now) ? bundleOf(served, now) : []), ...decision.keeps.older])];
      const { signer } = decision.keeps;
      const material = await issue({ ...(signer && { signer }), older: older.filter((pem) => pem !== signer?.certificate) }, hosts, now);
      if (await write(material, basis)) {
        pace.renewed();
        const fields = { secret: `${namespace}/${name.name}`, because: decision.because, authority: signer ? 'kept' : 'new' };
        log.info(fields, 'made a certificate');
      }
      run();
      return settled();
    }
    const { material, until } = decision;
    const hasBundle = await trust(material, now);
    if (!served || !isFit(served, host, now)) serve(material);
    else if (served.certificate !== material.certificate && hasBundle) {
      if (trusted?.certificate !== material.certificate) trusted = { certificate: material.certificate, since: clock.monotonic() };
      const left = trusted.since + SETTLE_MS - clock.monotonic();
      if (left > 0) return settled(left);
      serve(material);
    }
    return settled(Math.min(until - now, LOOK_MS));
  }

  /** False if another replica has written the Secret meanwhile: then its Secret counts. */
  async function write(material: Material, basis: KubeObject | undefined): Promise<boolean> {
    const written = await writeSecret(client, name, material, basis, signal);
    live = written ?? (await read());
    return written !== undefined;
  }

  const read = () => readSecret(client, name, signal);

  /** Gives the configuration the bundle. False if the bundle has changed by now. */
  async function trust(material: Material, now: number): Promise<boolean> {
    const configuration = configurations.get(undefined, webhookNames.configuration);
    if (!configuration) return true;
    const authorities = bundleOf(material, now);
    const bundle = Buffer.from(authorities.join('')).toString('base64');
    const patch = bundlePatch(configuration, namespace, bundle);
    if (patch.length === 0) return true;
    if (hasAll(configuration, namespace, authorities)) {
      if (excess?.bundle !== bundle) excess = { bundle, since: clock.monotonic() };
      if (clock.monotonic() < excess.since + LOOK_MS) return true;
    }
    excess = undefined;
    // A replica that is late must not undo what another one has written.
    const newest = await read();
    if (newest?.metadata.resourceVersion !== live?.metadata.resourceVersion) {
      live = newest;
      run();
      return false;
    }
    await client.patch(CONFIGURATION, { name: webhookNames.configuration }, patch, { type: 'json', ...writing });
    log.info({ configuration: webhookNames.configuration, entries: patch.length / 2 }, 'wrote the CA bundle');
    return true;
  }

  function serve(material: Material): void {
    if (served?.certificate === material.certificate) return;
    served = material;
    const { validToDate, serialNumber } = new X509Certificate(material.certificate);
    log.info({ serialNumber, expires: validToDate.toISOString() }, 'serving a certificate');
    onServe(material, validToDate.getTime());
  }

  return {
    notReady() {
      if (!served) return whyStale(secrets.status) ?? problem ?? 'no certificate yet';
      if (!isFit(served, host, clock.wall())) return `the certificate that is served is not valid${problem ? `: ${problem}` : ''}`;
      const configuration = configurations.get(undefined, webhookNames.configuration);
      if (!configurations.status.synced) return whyStale(configurations.status);
      // Without a configuration the API server does not call this process. With one, pods are admitted even if something else is wrong.
      if (!configuration || isTrusted(configuration, namespace, issuersOf(served))) return undefined;
      return problem ?? `${webhookNames.configuration} does not have the CA bundle yet`;
    },
    stop() {
      stopped.abort();
      void queue.stop();
      secrets.stop();
      configurations.stop();
    },
  };
}
