import { X509Certificate } from 'node:crypto';
import { webhookNames } from '../../api/webhook-names.ts';
import { backoff, type Clock, createSteadiness, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { createQueue, type Outcome, type PassInfo, settled } from '../../kube/turns/queue.ts';
import type { Log } from '../../kube/types.ts';
import { whyStale } from '../../kube/watch/staleness.ts';
import { type Configuration, POD_CONFIGURATION, VALIDATION_CONFIGURATION, watchConfiguration } from './configuration.ts';
import { hostsOf } from './issue.ts';
import { bundleOf, decide, isFit, issuersOf, type Material } from './material.ts';
import { createRenewals } from './renewals.ts';
import { watchSecret } from './secret.ts';
import { messageOf } from '../../kube/errors.ts';

export interface CertificatesOptions {
  readonly client: KubeClient;
  /** The namespace of the Service and of the Secret. */
  readonly namespace: string;
  /** Called with the first certificate, and with each that takes its place. */
  readonly onServe: (material: Material, expires: number) => void;
  /** Called with the number of entries by which API servers ask this webhook: when it is known, and when it is another one. */
  readonly onEntries: (count: number) => void;
  /** The same of the entries by which they ask it about objects of Sluice's kinds. Absent: it does not judge them. */
  readonly onValidationEntries?: (count: number) => void;
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
export function keepCertificates(options: CertificatesOptions): Certificates {
  const { client, namespace, onServe, onEntries, onValidationEntries, log, clock = systemClock } = options;
  const name = { namespace, name: webhookNames.secret };
  const hosts = hostsOf(namespace);
  const [host] = hosts;
  const stopped = new AbortController();
  const { signal } = stopped;
  /** API servers have come to trust a certificate that is not served yet. */
  const trusted = createSteadiness<string>(clock);
  let served: Material | undefined;
  let problem: string | undefined;
  const queue = createQueue({ concurrency: 1, work, eventBackoffMs: 0, clock });
  const run = (): void => {
    if (secret.status.synced) queue.add(name.name);
  };
  const secret = watchSecret(client, name, { signal, onChange: run, log, clock });
  const watching = { client, namespace, signal, onChange: run, log, clock };
  const configuration = watchConfiguration({ ...watching, watched: POD_CONFIGURATION, onEntries });
  const validations =
    onValidationEntries && watchConfiguration({ ...watching, watched: VALIDATION_CONFIGURATION, onEntries: onValidationEntries });
  const renew = createRenewals({ secret, where: `${namespace}/${name.name}`, hosts, log, clock });

  async function work(_: string, { failures }: PassInfo): Promise<Outcome> {
    try {
      const outcome = await pass();
      problem = undefined;
      return outcome;
    } catch (error) {
      const afterMs = backoff(failures + 1, clock.random);
      if (signal.aborted) return { kind: 'failed', afterMs };
      problem = messageOf(error);
      log.warn({ error: problem, retryMs: Math.round(afterMs) }, 'the certificate or the CA bundle of the webhook is not as it should be');
      return { kind: 'failed', afterMs };
    }
  }

  async function pass(): Promise<Outcome> {
    const now = clock.wall();
    const basis = secret.current;
    const decision = decide(basis && ((basis['data'] ?? {}) as Readonly<Record<string, string>>), host, now);
    if (decision.do === 'renew') {
      // One certificate that works is served while the Secret lacks anything.
      if (decision.serve) serve(decision.serve);
      const waitMs = await renew(decision, basis, served && isFit(served, host, now) ? bundleOf(served, now) : [], now);
      if (waitMs === undefined) run();
      return settled(waitMs);
    }
    const { material, until } = decision;
    const hasBundle = await trust(configuration, material, now);
    const left = serveSoon(material, hasBundle, now);
    // After it: no pod waits for a configuration that only judges.
    if (validations) await trust(validations, material, now);
    return settled(left > 0 ? left : Math.min(until - now, LOOK_MS));
  }

  /** Serves it once API servers trust it. Returns after how many ms that is; 0 if there is nothing to wait for. */
  function serveSoon(material: Material, hasBundle: boolean, now: number): number {
    if (!served || !isFit(served, host, now)) serve(material);
    else if (served.certificate !== material.certificate && hasBundle) {
      const left = SETTLE_MS - trusted.ofMs(material.certificate);
      if (left > 0) return left;
      serve(material);
    }
    return 0;
  }

  /** Gives the configuration the bundle. False if the bundle has changed by now. */
  async function trust(of: Configuration, material: Material, now: number): Promise<boolean> {
    const patch = of.patchFor(bundleOf(material, now));
    if (patch.length === 0) return true;
    // A replica that is late must not undo what another one has written.
    if (await secret.hasChanged()) {
      run();
      return false;
    }
    await of.patch(patch);
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
      if (!served) return whyStale(secret.status) ?? problem ?? 'no certificate yet';
      if (!isFit(served, host, clock.wall())) return `the certificate that is served is not valid${problem ? `: ${problem}` : ''}`;
      if (!configuration.status.synced) return whyStale(configuration.status);
      // While API servers trust it, pods are admitted even if something else is wrong.
      if (configuration.trusts(issuersOf(served))) return undefined;
      return problem ?? `${webhookNames.configuration} does not have the CA bundle yet`;
    },
    stop() {
      stopped.abort();
      void queue.stop();
      secret.stop();
      configuration.stop();
      validations?.stop();
    },
  };
}
