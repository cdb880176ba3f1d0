import { describe, expect, test } from 'vitest';
import { nodeLabels } from '../../../src/csi/cluster/own-node-labels.ts';
import { ApiError } from '../../../src/kube/errors.ts';

describe('labels of the node', () => {
  function given() {
    const written: Readonly<Record<string, string | null>>[] = [];
    const answers: PromiseWithResolvers<void>[] = [];
    const labels = nodeLabels({
      labelNode(wanted) {
        written.push(wanted);
        const answer = Promise.withResolvers<void>();
        answers.push(answer);
        return answer.promise;
      },
    });
    return { labels, written, answers };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('that are wanted while a request is under way are written together afterwards', async () => {
    const { labels, written, answers } = given();
    const all = [labels.take('a', 'u'), labels.take('b', 'u')];
    await turn();
    all.push(labels.take('c', 'u'), labels.take('d', 'u'));
    answers[0]?.resolve();
    await turn();
    answers[1]?.resolve();
    await Promise.all(all);
    expect(written).toEqual([
      { a: 'true', b: 'true' },
      { c: 'true', d: 'true' },
    ]);
  });

  test('stay for a user who took them while another left them', async () => {
    const { labels, written, answers } = given();
    const first = labels.take('a', 'one');
    await turn();
    const left = labels.leave('a', 'one');
    const taken = labels.take('a', 'two');
    answers[0]?.resolve();
    await turn();
    answers[1]?.resolve();
    await Promise.all([first, left, taken]);
    expect(written).toEqual([{ a: 'true' }, { a: 'true' }]);
  });

  test('have no user whose request was rejected, but for one who had them before', async () => {
    const { labels, written, answers } = given();
    const refused = labels.take('a', 'one');
    await turn();
    answers[0]?.reject(new Error('forbidden'));
    await expect(refused).rejects.toThrow('forbidden');
    const taken = labels.take('a', 'two');
    await turn();
    answers[1]?.resolve();
    await taken;
    const again = labels.take('a', 'two');
    await turn();
    answers[2]?.reject(new Error('forbidden'));
    await expect(again).rejects.toThrow('forbidden');
    const third = labels.take('a', 'three');
    await turn();
    answers[3]?.resolve();
    await third;
    await labels.leave('a', 'three');
    expect(written.at(-1)).toEqual({ a: 'true' });
    const left = labels.leave('a', 'two');
    await turn();
    answers[4]?.resolve();
    await left;
    expect(written.at(-1)).toEqual({ a: null });
  });

  test('are removed with the last user, whose call gets the error', async () => {
    const { labels, written, answers } = given();
    void labels.take('a', 'one').catch(() => {});
    void labels.take('a', 'two').catch(() => {});
    await turn();
    answers[0]?.resolve();
    labels.forget('one');
    const left = labels.leave('a', 'two');
    await turn();
    answers[1]?.reject(new Error('forbidden'));
    await expect(left).rejects.toThrow('forbidden');
    expect(written.at(-1)).toEqual({ a: null });
  });
});

test('a label that the API server rejects is an error of its own caller alone', async () => {
  const written: string[][] = [];
  const labels = nodeLabels({
    async labelNode(wanted) {
      written.push(Object.keys(wanted));
      if ('bad' in wanted) throw new ApiError({ method: 'PATCH', path: '/node' }, 422, 'bad', { body: { details: { name: 'node' } } });
    },
  });
  const asked = await Promise.allSettled(['a', 'bad', 'c'].map((key) => labels.take(key, key)));
  expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(written).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
});

test('labels are not written one by one when the API server does not answer', async () => {
  let calls = 0;
  const labels = nodeLabels({
    async labelNode() {
      calls++;
      throw new Error('no answer');
    },
  });
  const asked = await Promise.allSettled(['a', 'b'].map((key) => labels.take(key, key)));
  expect([calls, ...asked.map(({ status }) => status)]).toEqual([1, 'rejected', 'rejected']);
});
