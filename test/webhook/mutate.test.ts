import { describe, expect, test } from 'vitest';
import { type AdmissionContext, mutate } from '../../src/webhook/mutate.ts';
import { type Pod, withLabels } from '../../src/webhook/pod.ts';
import { knownOf } from './known.ts';

const pod = (metadata: Pod['metadata'], claims: readonly string[] = []): Pod => ({
  metadata,
  spec: {
    containers: [{ name: 'main', image: 'busybox' }],
    volumes: claims.map((claimName, i) => ({ name: `data${i}`, persistentVolumeClaim: { claimName } })),
  },
});
const touched = (text: string) => (each: Pod) => withLabels(each, { touched: text });
const context = (settings: Partial<AdmissionContext['settings']> = {}): AdmissionContext => ({
  known: knownOf({
    claims: { 'ml/images': { dataset: 'images' }, 'ml/scratch': {}, 'ml/lost': { dataset: 'lost' } },
    datasets: {
      'ml/images': { identity: { namespace: 'ml', name: 'images', uid: 'u', collides: false }, phase: 'Bound' },
      'ml/unbound': { identity: { namespace: 'ml', name: 'unbound', uid: 'v', collides: false }, phase: '', notReady: 'no Secret ml/keys' },
    },
  }),
  settings: { disabled: false, nativeSidecars: true, prefetcher: { image: 'sluice', isOurs: true }, ...settings },
  profile: {
    serverful: { withDataset: [touched('serverful-with')], withoutDataset: [touched('serverful-without')] },
    serverless: { withDataset: [touched('serverless-with')], withoutDataset: [touched('serverless-without')] },
  },
  random: () => '0123456789ab',
  warn: () => {},
});
const chainOf = (labels: Record<string, string>, claims: readonly string[], settings?: Partial<AdmissionContext['settings']>) =>
  mutate({ pod: pod({ labels }, claims), namespace: 'ml' }, context(settings)).metadata.labels?.['touched'];

describe('the chain of a pod', () => {
  test.each([
    ['serverless.fluid.io/inject', ['images'], 'serverless-with'],
    ['fuse.sidecar.fluid.io/inject', ['images'], 'serverless-with'],
    ['serverless.fluid.io/inject', ['scratch'], 'serverless-without'],
    ['fuse.serverful.fluid.io/inject', ['scratch', 'images'], 'serverful-with'],
    ['fuse.serverful.fluid.io/inject', [], 'serverful-without'],
    ['app', ['images'], undefined],
  ])('follows from %s and the claims %j: %s', (key, claims, chain) => {
    expect(chainOf({ [key]: 'true' }, claims)).toBe(chain);
  });
  test('follows from the label that KEY_SERVERLESS_PLATFORM names', () => {
    expect(chainOf({ 'acme.io/platform': 'default' }, ['images'], { platformLabel: 'acme.io/platform' })).toBe('serverless-with');
  });
  test.each([{ 'fluid.io/enable-injection': 'false' }, { 'done.sidecar.fluid.io/inject': 'true' }])('is empty with %j', (labels) => {
    expect(chainOf({ 'serverless.fluid.io/inject': 'true', ...labels }, ['images'])).toBeUndefined();
  });
  test('is empty with DISABLE_INJECTION', () => {
    expect(chainOf({ 'serverless.fluid.io/inject': 'true' }, ['missing'], { disabled: true })).toBeUndefined();
  });
});

describe('a pod is denied', () => {
  const denial = (request: Pod, settings?: Partial<AdmissionContext['settings']>) =>
    expect(() => mutate({ pod: request, namespace: 'ml' }, context(settings)));
  const serverless = { 'serverless.fluid.io/inject': 'true' };

  test('if it asks for a sidecar and a claim does not exist, after which is asked once more', () => {
    denial(pod({ labels: serverless }, ['missing', 'images'])).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('PersistentVolumeClaim ml/missing does not exist'),
        unknown: [{ kind: 'claim', namespace: 'ml', name: 'missing' }],
      }),
    );
  });
  test('with the state of the Dataset that has no claim yet', () => {
    denial(pod({ labels: serverless }, ['unbound'])).toThrow(
      'PersistentVolumeClaim ml/unbound does not exist, its Dataset is NotBound: no Secret ml/keys. Create the pod when the Dataset is bound',
    );
  });
  test('if it asks for a sidecar and the Dataset of a claim does not exist', () => {
    denial(pod({ labels: serverless }, ['lost'])).toThrow('Dataset ml/lost does not exist');
  });
  test('never for a hint', () => {
    expect(chainOf({ 'fuse.serverful.fluid.io/inject': 'true' }, ['missing', 'lost'])).toBe('serverful-without');
  });
  test('if its namespace is another than that of the request', () => {
    denial(pod({ namespace: 'other', labels: serverless })).toThrow(
      'metadata.namespace: expected ml, the namespace of the request, found other',
    );
  });
  test('if its platform does not exist', () => {
    denial(pod({ labels: serverless, annotations: { 'serverless.fluid.io/platform': 'acme' } })).toThrow(
      'metadata.annotations[serverless.fluid.io/platform]: expected default or unprivileged, found "acme"',
    );
  });
  test('if two labels name its platform', () => {
    denial(pod({ labels: { ...serverless, 'acme.io/platform': 'default' } }), { platformLabel: 'acme.io/platform' }).toThrow(
      'expected one of serverless.fluid.io/inject and acme.io/platform, found both',
    );
  });
});
