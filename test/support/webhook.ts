/** An admission webhook of a real API server, in this process. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { vi } from 'vitest';
import type { KubeClient } from '../../src/kube/contract.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../../src/kube/types.ts';
import { createCa, issue } from '../../harness/control-plane/pki.ts';

/** The review of an object that is written: the object, changed or not, or a refusal. */
export type Review = (object: KubeObject) => KubeObject | Refused;
interface Refused {
  readonly refused: { readonly code: number; readonly reason: string; readonly message: string };
}
// No object has a field of this name.
export const isRefused = (verdict: KubeObject | Refused): verdict is Refused => 'refused' in verdict;
export const WEBHOOK = 'review.suite.example';

const CONFIGURATION: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  namespaced: false,
};
const PROBE = 'is-it-asked-yet';

/** Reviews what is written of a kind in a namespace, and its status, from the moment in which this resolves. Returns what ends it. */
export async function admissionWebhook(
  client: KubeClient,
  type: ResourceType,
  namespace: string,
  sample: KubeObject,
  review: Review,
): Promise<() => Promise<void>> {
  const now = new Date();
  const ca = await createCa(now);
  const { certificate, key } = await issue(ca, { user: 'webhook', hosts: ['127.0.0.1'] }, now);
  let isAsked = false;
  const server = createServer({ cert: certificate, key }, async (incoming, response) => {
    const { request } = (await json(incoming)) as { readonly request: { readonly uid: string; readonly object: KubeObject } };
    isAsked = true;
    const verdict = request.object.metadata.name === PROBE ? request.object : review(structuredClone(request.object));
    const answer = isRefused(verdict)
      ? { allowed: false, status: verdict.refused }
      : {
          allowed: true,
          patchType: 'JSONPatch',
          patch: Buffer.from(JSON.stringify(changes(request.object, verdict))).toString('base64'),
        };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: request.uid, ...answer } }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const { group, version, plural } = type;
  const webhook = {
    name: WEBHOOK,
    clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(ca.certificate).toString('base64') },
    rules: [{ apiGroups: [group], apiVersions: [version], operations: ['CREATE', 'UPDATE'], resources: [plural, `${plural}/status`] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Fail',
  };
  const name = `${namespace}-${plural}`;
  await client.create(CONFIGURATION, {
    apiVersion: apiVersionOf(CONFIGURATION),
    kind: CONFIGURATION.kind,
    metadata: { name },
    webhooks: [webhook],
  });
  // The server hears of it from a watch of its own.
  await vi.waitFor(
    async () => {
      await client.create(type, { ...sample, metadata: { namespace, name: PROBE } }, { dryRun: true });
      if (!isAsked) throw new Error('the webhook is not asked');
    },
    { timeout: 100_000, interval: 40 },
  );
  return async () => {
    await client.delete(CONFIGURATION, { name });
    server.closeAllConnections();
    server.close();
  };
}

/** As a JSON Patch, field by field of the object and of its metadata. */
function changes(before: KubeObject, after: KubeObject): readonly object[] {
  const fields = (path: string, old: object, now: object) =>
    Object.entries(now)
      .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify((old as Record<string, unknown>)[field]))
      .map(([field, value]) => ({ op: 'add', path: `${path}/${field}`, value }));
  const { metadata, ...rest } = after;
  return [...fields('', before, rest), ...fields('/metadata', before.metadata, metadata)];
}
