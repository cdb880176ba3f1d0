/** A mutating webhook inside the keeper: pods that a test makes misbehave are created with the annotations that make kwok play it. */
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { annotationsFor, type Behaviour, type PodShape } from './behaviours.ts';
import { type Labels, type PodTarget, selects } from './pod-target.ts';

/** One file of `<dir>/pod-rules`. */
export interface PodRule {
  readonly target: PodTarget;
  readonly behaviour: Behaviour;
}

interface Review {
  readonly request: { readonly uid: string; readonly namespace: string; readonly object: AdmittedPod };
}

interface AdmittedPod extends PodShape {
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly labels?: Labels;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export async function admit(dir: string, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { request } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Review;
  const { uid, namespace, object: pod } = request;
  const name = pod.metadata.name ?? pod.metadata.generateName ?? '';
  const annotations = rules(dir)
    .filter(({ target }) => selects(target, { namespace, name, labels: pod.metadata.labels ?? {} }))
    .flatMap(({ behaviour }) => Object.entries(annotationsFor(pod, behaviour, new Date())));
  const patch = [{ op: 'add', path: '/metadata/annotations', value: { ...pod.metadata.annotations, ...Object.fromEntries(annotations) } }];
  const answer =
    annotations.length === 0
      ? { uid, allowed: true }
      : { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
}

function rules(dir: string): readonly PodRule[] {
  const folder = join(dir, 'pod-rules');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .flatMap((file) => ruleIn(join(folder, file)) ?? []);
}

/** A test that ends at this moment removes its rule. */
function ruleIn(file: string): PodRule | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PodRule;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
