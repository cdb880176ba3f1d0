/** A certificate for programs that renew none while they run, as Fluid's webhook. */
import type { KubeObject } from '../../kube/types.ts';
import { bundlesOf } from './ca-bundle.ts';
import { hostsOf, issue } from './issue.ts';
import { AUTHORITY_MS, CERTIFICATE_MS, type Data, dataOf, decide, isAuthority, issuersOf, keepsOf } from './material.ts';

/** More than the half year for which Fluid's webhook takes a certificate when it starts, and more than Sluice's are ever valid. */
const LASTS_MS = 2 * CERTIFICATE_MS;

/** A Secret's certificate, as Fluid's webhook would serve it. */
export interface Lasting {
  /** API servers trust an authority of the certificate. */
  readonly isTrusted: boolean;
  /** Returns data for the Secret with a certificate that lasts ten years. Absent: the one there lasts two at least. */
  readonly renew?: () => Promise<Data>;
}

/**
 * Looks at the certificate that the Secret has for Fluid's webhook. A new one is of the same authority if that lasts two years. Otherwise all
 * authorities that API servers trust now stay in the Secret, which Fluid's webhook makes the CA bundle.
 *
 * @param data of the Secret; undefined: it does not exist
 * @param configuration of the pods' webhook; undefined: API servers ask none
 * @param now ms since the epoch
 */
export function lasting(data: Data | undefined, configuration: KubeObject | undefined, namespace: string, now: number): Lasting {
  const hosts = hostsOf(namespace);
  const bundles = configuration ? bundlesOf(configuration, namespace) : [];
  const decision = decide(data && ofFluid(data), hosts[0], now);
  if (decision.do === 'serve' && decision.expires >= now + LASTS_MS) {
    const issuers = issuersOf(decision.material);
    return { isTrusted: bundles.every((bundle) => issuers.some((pem) => bundle.includes(pem))) };
  }
  const { signer, older } = keepsOf(data ?? {}, now, LASTS_MS);
  const others = new Set([...older, ...bundles.flat().filter((pem) => isAuthority(pem, now))]);
  if (signer) others.delete(signer.certificate);
  const keeps = { ...(signer && { signer }), older: [...others] };
  return { isTrusted: false, renew: async () => dataOf(await issue(keeps, hosts, now, AUTHORITY_MS)) };
}

/** Fluid's webhook reads no key of the Secret that begins with `tls.`. */
const ofFluid = (data: Data): Data => Object.fromEntries(Object.entries(data).filter(([key]) => !key.startsWith('tls.')));
