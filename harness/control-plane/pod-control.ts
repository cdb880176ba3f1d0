/** Makes simulated pods misbehave, those that exist and those yet to come, and recover. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from './api.ts';
import { annotationsFor, BEHAVIOUR_ANNOTATIONS, type Behaviour, type PodShape } from './behaviours.ts';
import { type Labels, type PodTarget, selects } from './pod-target.ts';
import { until } from './until.ts';

export interface Misbehaviour {
  /** The pods turn Ready again; those that had failed for good stay so, their successors start normally. */
  release(): Promise<void>;
}

export interface SimulatedPods {
  /** The pods do not get further than this: Pending (default), NotReady, Running (a Job's pod that does not end) or Terminating. */
  hold(
    target: PodTarget,
    behaviour?: Extract<Behaviour, { as: 'Pending' | 'NotReady' | 'Running' | 'Terminating' }>,
  ): Promise<Misbehaviour>;
  /** The pods' containers end: in phase Failed (default) or again and again. */
  fail(target: PodTarget, behaviour?: Extract<Behaviour, { as: 'Failed' | 'CrashLoopBackOff' }>): Promise<Misbehaviour>;
}

interface Pod extends PodShape {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: Labels; readonly annotations?: Labels };
}

export function simulatedPods(api: Api, dir: string): SimulatedPods {
  let rules = 0;
  const misbehave = async (target: PodTarget, behaviour: Behaviour): Promise<Misbehaviour> => {
    await admitPods(api, dir);
    const file = join(dir, 'pod-rules', `${Date.now()}-${process.pid}-${rules++}.json`);
    await writeFile(`${file}.new`, JSON.stringify({ target, behaviour }));
    await rename(`${file}.new`, file);
    await annotate(api, target, (pod) => annotationsFor(pod, behaviour, new Date()));
    return {
      release: async () => {
        await rm(file, { force: true });
        await annotate(api, target, () => Object.fromEntries(BEHAVIOUR_ANNOTATIONS.map((key) => [key, null])));
      },
    };
  };
  return {
    hold: (target, behaviour = { as: 'Pending' }) => misbehave(target, behaviour),
    fail: (target, behaviour = { as: 'Failed' }) => misbehave(target, behaviour),
  };
}

async function annotate(api: Api, target: PodTarget, annotations: (pod: Pod) => Readonly<Record<string, string | null>>): Promise<void> {
  const { items } = await api.call<{ items: readonly Pod[] }>('GET', `/api/v1/namespaces/${target.namespace}/pods`);
  const targets = items.filter(({ metadata }) => selects(target, { ...metadata, labels: metadata.labels ?? {} }));
  await Promise.all(
    targets.map(async (pod) => {
      const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
      await api.call('PATCH', path, { metadata: { annotations: annotations(pod) } }).catch((error: Error) => {
        // Deleted meanwhile.
        if (!error.message.includes(' 404 ')) throw error;
      });
    }),
  );
}

const WEBHOOK = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

/** Registers the webhook of admission.ts at first use: a cluster in which nothing misbehaves has none. */
async function admitPods(api: Api, dir: string): Promise<void> {
  if ((await api.status(`${WEBHOOK}/testing.sluice.dev`)) === 200) return;
  const url = `https://127.0.0.1:${readFileSync(join(dir, 'kubelet.port'), 'utf8')}/admit`;
  const caBundle = readFileSync(join(dir, 'pki', 'ca.crt')).toString('base64');
  const webhook = {
    name: 'pods.testing.sluice.dev',
    clientConfig: { url, caBundle },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
  };
  const metadata = { name: 'testing.sluice.dev' };
  const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', metadata, webhooks: [webhook] };
  await api.call('POST', WEBHOOK, body).catch((error: Error) => {
    if (!error.message.includes(' 409 ')) throw error;
  });
  await untilAdmitting(api, dir);
}

/** The API server takes a moment to heed a new webhook: a dry run shows when it does. */
async function untilAdmitting(api: Api, dir: string): Promise<void> {
  // A file for each wait: several tests may wait at once.
  const probe = join(dir, 'pod-rules', `probe-${randomUUID()}.json`);
  await mkdir(join(dir, 'pod-rules'), { recursive: true });
  await writeFile(probe, JSON.stringify({ target: { namespace: 'default', name: 'sluice-probe' }, behaviour: { as: 'Terminating' } }));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'sluice-probe' }, spec: { containers: [{ name: 'c', image: 'c' }] } };
  await until('the API server heeds the pod webhook', 20, async () => {
    const made = await api.call<Pod>('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod);
    return made.metadata.annotations !== undefined;
  });
  await rm(probe);
}
