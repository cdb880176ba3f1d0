/** Views that are looked at, and what is watched for them. */
import { expect, test } from 'vitest';
import { createLooks } from '../../src/ui/server/detail/looks.ts';
import { type KubeObject, silent } from '../../src/kube/types.ts';
import { manualClock } from '../support/manual-clock.ts';
import { apiServer } from './scene.ts';

const object = (kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { namespace: 'ml', name },
  ...more,
});
const event = (name: string, about: object) =>
  object('Event', name, { involvedObject: { namespace: 'ml', ...about }, reason: 'Slow', message: 'slow' });

function looking() {
  const api = apiServer();
  const clock = manualClock();
  const touched: string[] = [];
  const looks = createLooks(api.client(), { mayList: () => true, onChange: (key) => touched.push(key), clock, log: silent });
  const put = (...objects: readonly KubeObject[]) => objects.forEach((each) => api.put(each, 'test'));
  /** Puts events about the Dataset until one is noticed: then its watches are open. */
  const watched = async (name = 'demo') => {
    let i = 0;
    await expect
      .poll(() => {
        put(event(`probe-${name}-${++i}`, { name }));
        return touched;
      })
      .toContain(`ml/${name}`);
    touched.length = 0;
  };
  return { clock, looks, put, touched, watched };
}

test('events and pods of a Dataset that is looked at are told, and of no other', async () => {
  const { looks, put, touched, watched } = looking();
  looks.note('ml', 'demo', [object('Pod', 'train-0', { metadata: { namespace: 'ml', name: 'train-0', uid: 'u1' } })]);
  await watched();
  put(event('c', { name: 'train-1', uid: 'u2' }), event('d', { name: 'demonstration-worker-0', uid: 'u3' }));
  put(event('a', { name: 'demo-worker-0', uid: 'u9' }), event('b', { name: 'train-0', uid: 'u1' }));
  await expect.poll(() => touched).toEqual(['ml/demo', 'ml/demo']);
  put(
    object('Pod', 'demo-worker-1', { metadata: { namespace: 'ml', name: 'demo-worker-1', labels: { 'fluid.io/dataset-id': 'ml-demo' } } }),
  );
  await expect.poll(() => touched).toEqual(['ml/demo', 'ml/demo', 'ml/demo']);
  looks.stop();
});

test('a minute after the last look at a Dataset nothing is told of it any more', async () => {
  const { clock, looks, put, touched, watched } = looking();
  looks.note('ml', 'demo', []);
  looks.note('ml', 'other', []);
  await watched();
  clock.advance(50_000);
  looks.note('ml', 'other', []);
  clock.advance(50_000);
  put(event('a', { name: 'demo' }), event('b', { name: 'other' }));
  await expect.poll(() => touched).toContain('ml/other');
  expect(touched).not.toContain('ml/demo');
  looks.stop();
});

test('what existed before the first look is not told: the view that is read has it', async () => {
  const { looks, put, touched, watched } = looking();
  put(event('before', { name: 'other-worker-0' }));
  looks.note('ml', 'demo', []);
  looks.note('ml', 'other', []);
  await watched();
  expect(touched).toEqual([]);
  looks.stop();
});
