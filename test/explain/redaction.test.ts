/** Reports have no credentials, and all names. */
import { expect, test } from 'vitest';
import { findings } from '../../src/explain/findings.ts';
import type { KubeObject } from '../../src/kube/types.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
/** Every form that `redactedText` knows, with a secret text in it. */
const FORMS = [
  'redis://:s3cr3t@host/0',
  'Authorization: Bearer s3cr3t-s3cr3t',
  'password=s3cr3t',
  '"access-key": "s3cr3t"',
  'juicefs sync --secret-key s3cr3t',
  'https://x.blob/y?sv=1&sig=s3cr3t',
  'fs.azure.account.key.a.blob = s3cr3t',
  'key: "password" value: "s3cr3t"',
];

test.each(FORMS)('a credential is redacted wherever another program may have written it: %s', (text) => {
  const uid = 'u';
  const condition = { type: 'Failed', status: 'True', reason: `R ${text}`, message: text };
  const operation: KubeObject = {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataLoad',
    metadata: { namespace: 'ml', name: 'warm', uid },
    spec: { policy: 'Cron', schedule: text, runAfter: { kind: 'DataLoad', name: text, namespace: text } },
    status: { phase: `P ${text}`, infos: { Progress: text, Step: text, Rate: text }, conditions: [condition] },
  };
  const object = (kind: string, name: string, more: object): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, uid: name },
    ...more,
  });
  const owned = { 'data.fluid.io/owner-uid': uid };
  const job = object('Job', 'job', { metadata: { name: 'job', uid: 'job', labels: owned } });
  const labels = { 'batch.kubernetes.io/controller-uid': 'job' };
  const pod = (name: string, status: object) => object('Pod', name, { metadata: { name, uid: name, labels }, status });
  const event = (about: string) => object('Event', about, { involvedObject: { uid: about }, reason: `R ${text}`, message: text });
  const waiting = { reason: `R ${text}`, message: text };
  const [finding] = findings({
    objects: [operation],
    runtimes: [],
    operations: [operation],
    workloads: [],
    jobs: [job],
    pods: [
      pod('a', { conditions: [{ type: 'PodScheduled', status: 'False', reason: `R ${text}`, message: text }] }),
      pod('b', { containerStatuses: [{ name: 'c', state: { waiting } }] }),
      pod('c', {}),
    ],
    events: [event(uid), event('c')],
    now: NOW,
  });
  expect(finding?.details).toHaveLength(7);
  expect(JSON.stringify(finding)).not.toContain('s3cr3t');
});

test('a name that looks like that of a secret hides no phase', () => {
  const uid = 'u';
  const conditions = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'see nosecret' }];
  const operation: KubeObject = {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataMigrate',
    metadata: { namespace: 'ml', name: 'nosecret', uid },
    status: { phase: 'Failed', conditions },
  };
  const job: KubeObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j-token', uid: 'j', labels: { 'data.fluid.io/owner-uid': uid } },
  };
  const labels = { 'batch.kubernetes.io/controller-uid': 'j' };
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'j-token', uid: 'p', labels }, status: {} };
  const [finding] = findings({
    objects: [operation],
    runtimes: [],
    operations: [],
    workloads: [],
    jobs: [job],
    pods: [pod],
    events: [],
    now: NOW,
  });
  expect(finding).toMatchObject({ object: 'DataMigrate ml/nosecret', phase: 'Failed' });
  expect(finding?.details).toEqual(['Job j-token: 0 of 1 pods ready', '  pod j-token: is not ready yet']);
});
