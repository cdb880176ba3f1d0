/**
 * Webhooks of both sides, as far as API servers trust them: the certificate that each pod serves, and the CA bundle that it writes. Fluid's is
 * a stand-in after its sources; Sluice's decides by its own code.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ApiServer } from '../../src/api-server/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { bundlesOf } from '../../src/webhook/certificates/ca-bundle.ts';
import { hostsOf, issue } from '../../src/webhook/certificates/issue.ts';
import {
  AUTHORITY_MS,
  bundleOf,
  certificatesIn,
  type Data,
  dataOf,
  decide,
  type Material,
} from '../../src/webhook/certificates/material.ts';
import { NAMESPACE } from './fluid/given.ts';

/** The time at which scenes begin, ms since the epoch. */
export const START = Date.parse('2026-01-01T00:00:00Z');
export const DAY = 24 * 3600_000;
const HOSTS = hostsOf(NAMESPACE);
const [HOST] = HOSTS;
const NAME = 'fluid-pod-admission-webhook';
const SECRET = 'fluid-webhook-certs';

/** A certificate of Sluice's webhook, made so long before the start. */
export const sluices = (ageMs: number): Promise<Material> => issue({ older: [] }, HOSTS, START - ageMs);
/** One of an authority that lasts for half a year more. */
export async function ofOldAuthority(): Promise<Material> {
  const { authorities, caKey } = await sluices(AUTHORITY_MS - 182 * DAY);
  return issue({ signer: { certificate: authorities[0] ?? '', key: caKey }, older: [] }, HOSTS, START - 30 * DAY);
}
/** Fluid makes one in each process that finds none it takes, and Sluice one in place of one that ends; here each has the same one. */
const [FLUIDS, FLUIDS_OWN, RENEWED] = await Promise.all(
  [30 * DAY, 0, 0].map((ageMs, i) => issue({ older: [] }, HOSTS, START - ageMs, i < 2 ? AUTHORITY_MS : undefined)),
);
export const fluidsSecret = (): KubeObject => secretOf(FLUIDS as Material);
export const secretOf = (material: Material): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: SECRET, namespace: NAMESPACE },
  data: dataOf(material),
});

const text = (data: Data, key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
const isIssued = (certificate: string, authorities: readonly string[]): boolean =>
  authorities.some((pem) => new X509Certificate(certificate).verify(new X509Certificate(pem).publicKey));

/** Whether Fluid's webhook, when it starts, serves the certificate of the Secret: a pair, for its Service, of an authority there, for half a year. */
export function fluidTakes(data: Data, now: number): boolean {
  const [certificate, key] = ['cert.pem', 'key.pem'].map((name) => text(data, name));
  if (!certificate || !key) return false;
  const lasts = (pem: string): boolean => new X509Certificate(pem).validToDate.getTime() > now + 184 * DAY;
  const authorities = certificatesIn(text(data, 'ca-cert.pem')).filter(lasts);
  const parsed = new X509Certificate(certificate);
  return (
    parsed.checkPrivateKey(createPrivateKey(key)) &&
    lasts(certificate) &&
    parsed.checkHost(HOST) !== undefined &&
    isIssued(certificate, authorities)
  );
}

interface Serving {
  readonly certificate: string;
  /** Fluid's webhook has API servers trust these, for as long as it runs. */
  readonly bundle?: string;
  /** Since when another certificate could be served, ms. */
  readonly next?: readonly [certificate: string, since: number];
}

/** Called at each moment with the pods of both that are ready. */
export function createWebhooks(server: ApiServer) {
  const serving = new Map<string, Serving>();
  const dataNow = (): Data => (server.get('Secret', NAMESPACE, SECRET)?.['data'] ?? {}) as Data;
  const configuration = () => server.get('MutatingWebhookConfiguration', undefined, NAME);

  function writeBundle(bundle: string): void {
    const live = configuration();
    const caBundle = Buffer.from(bundle).toString('base64');
    const webhooks = (live?.['webhooks'] ?? []) as readonly { readonly clientConfig: { readonly caBundle?: string } }[];
    if (live && webhooks.some(({ clientConfig }) => clientConfig.caBundle !== caBundle))
      server.put({ ...live, webhooks: webhooks.map((each) => ({ ...each, clientConfig: { ...each.clientConfig, caBundle } })) });
  }

  function fluids(uid: string, now: number): void {
    if (!serving.has(uid)) {
      if (!fluidTakes(dataNow(), now)) server.put(secretOf(FLUIDS_OWN as Material), 'fluid-webhook');
      const data = dataNow();
      serving.set(uid, { certificate: text(data, 'cert.pem'), bundle: text(data, 'ca-cert.pem') });
    }
    writeBundle(serving.get(uid)?.bundle ?? '');
  }

  function sluicesOwn(uid: string, now: number): void {
    const secret = server.get('Secret', NAMESPACE, SECRET);
    // Sluice's webhook may not create one, and serves what it has.
    if (!secret) return;
    const decision = decide((secret['data'] ?? {}) as Data, HOST, now);
    if (decision.do === 'renew') return void server.put({ ...secret, data: dataOf(RENEWED as Material) }, 'sluice-webhook');
    const { material } = decision;
    const bundle = bundleOf(material, now);
    const live = configuration();
    if (live && !bundlesOf(live, NAMESPACE).every((each) => bundle.every((pem) => each.includes(pem)))) writeBundle(bundle.join(''));
    const { certificate: current = material.certificate, next } = serving.get(uid) ?? {};
    const since = next?.[0] === material.certificate ? next[1] : now;
    const isDue = now - since >= 10_000;
    serving.set(uid, { certificate: isDue ? material.certificate : current, next: [material.certificate, since] });
  }

  return {
    run(pods: readonly KubeObject[], now: number): void {
      for (const { metadata } of pods.filter(({ metadata: { name } }) => name.startsWith('sluice-webhook')))
        sluicesOwn(metadata.uid ?? '', now);
      for (const { metadata } of pods.filter(({ metadata: { name } }) => name.startsWith('fluid-webhook'))) fluids(metadata.uid ?? '', now);
    },
    /** Whether API servers trust each of these pods. */
    areTrusted(pods: readonly KubeObject[]): boolean {
      const live = configuration();
      const bundles = live ? bundlesOf(live, NAMESPACE) : [];
      return pods.every(({ metadata: { uid = '' } }) => bundles.every((bundle) => isIssued(serving.get(uid)?.certificate ?? '', bundle)));
    },
  };
}
