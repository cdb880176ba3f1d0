import { expect, test } from 'vitest';
import { createGate, type Gate } from '../../src/kube/gate.ts';
import { manualClock } from '../support/manual-clock.ts';

/** Who has come in so far, in order. */
function visitors(gate: Gate): { inside: string[]; come: (name: string, signal?: AbortSignal) => void } {
  const inside: string[] = [];
  return {
    inside,
    come: (name, signal) =>
      void gate.enter(signal).then(
        () => inside.push(name),
        () => {},
      ),
  };
}
/** Lets every promise that can settle do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('who leaves makes room for one, in the order of coming', async () => {
  const gate = createGate(2, manualClock());
  const { inside, come } = visitors(gate);
  for (const name of ['a', 'b', 'c', 'd', 'e']) come(name);
  await settle();
  expect(inside).toEqual(['a', 'b']);
  gate.leave();
  await settle();
  expect(inside).toEqual(['a', 'b', 'c']);
});

test('who gave up waiting takes no place', async () => {
  const gate = createGate(1, manualClock());
  const { inside, come } = visitors(gate);
  const impatient = new AbortController();
  come('a');
  come('b', impatient.signal);
  come('c');
  impatient.abort();
  gate.leave();
  await settle();
  expect(inside).toEqual(['a', 'c']);
});

test('a signal that is aborted before keeps out', async () => {
  const gate = createGate(1, manualClock());
  await expect(gate.enter(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
});

test('during a pause nobody enters, not even into free places', async () => {
  const clock = manualClock();
  const gate = createGate(4, clock);
  const { inside, come } = visitors(gate);
  gate.pause(5_000);
  gate.pause(1_000);
  come('a');
  clock.advance(4_999.5);
  come('b');
  await settle();
  expect(inside).toEqual([]);
  clock.advance(0.5);
  await settle();
  expect(inside).toEqual(['a', 'b']);
});

test('who came during a pause goes before who comes after', async () => {
  const clock = manualClock();
  const gate = createGate(1, clock);
  const { inside, come } = visitors(gate);
  gate.pause(1_000);
  come('early');
  clock.advance(1_000);
  come('late');
  await settle();
  expect(inside).toEqual(['early']);
});

test('a pause that is made longer while somebody waits', async () => {
  const clock = manualClock();
  const gate = createGate(1, clock);
  const { inside, come } = visitors(gate);
  gate.pause(1_000);
  come('a');
  gate.pause(3_000);
  clock.advance(2_999);
  await settle();
  expect(inside).toEqual([]);
  clock.advance(1);
  await settle();
  expect(inside).toEqual(['a']);
});

test('after a refusal half as many enter at once, and one more for each round that goes well', async () => {
  const clock = manualClock();
  const gate = createGate(8, clock);
  const { inside, come } = visitors(gate);
  for (let i = 0; i < 40; i++) come(`${i}`);
  await settle();
  expect(inside).toHaveLength(8);
  // All eight are refused: one refusal.
  for (let i = 0; i < 8; i++) {
    gate.pause(1_000);
    gate.leave();
  }
  clock.advance(1_000);
  await settle();
  expect(inside).toHaveLength(8 + 4);
  for (let i = 0; i < 4; i++) gate.leave();
  await settle();
  // Almost: each of the four counts a little less than the one before.
  for (let i = 0; i < 4; i++) gate.leave();
  await settle();
  expect(inside.length).toBe(8 + 4 + 4 + 5);
});

test('however often it is refused, one may enter', async () => {
  const clock = manualClock();
  const gate = createGate(2, clock);
  const { inside, come } = visitors(gate);
  for (let i = 0; i < 5; i++) {
    gate.pause(100);
    clock.advance(100);
  }
  come('a');
  come('b');
  await settle();
  expect(inside).toEqual(['a']);
});

test('namespaces that wait enter in turn, and one never has more places than its share', async () => {
  const gate = createGate(3, manualClock(), 2);
  const inside: string[] = [];
  const come = (name: string) => void gate.enter(undefined, name.charAt(0)).then(() => inside.push(name));
  for (const name of ['a1', 'a2', 'a3', 'a4']) come(name);
  await settle();
  expect(inside).toEqual(['a1', 'a2']);
  for (const name of ['b1', 'b2']) come(name);
  await settle();
  expect(inside).toEqual(['a1', 'a2', 'b1']);
  gate.leave('b');
  await settle();
  expect(inside.slice(3)).toEqual(['b2']);
  gate.leave('a');
  await settle();
  expect(inside.slice(4)).toEqual(['a3']);
});

test('who of a full namespace gave up waiting takes no place later', async () => {
  const gate = createGate(2, manualClock(), 1);
  const impatient = new AbortController();
  await gate.enter(undefined, 'a');
  const second = gate.enter(impatient.signal, 'a').catch(() => 'gave up');
  const third = gate.enter(undefined, 'a').then(() => 'inside');
  impatient.abort();
  gate.leave('a');
  expect(await Promise.all([second, third])).toEqual(['gave up', 'inside']);
});
