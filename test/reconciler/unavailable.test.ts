/** An engine or a store that does not answer readers: a condition of Dataset and runtime, for as long as it lasts. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { CommandTimeout, type PodExec } from '../../src/kube/exec.ts';
import { openDataset, thinRuntime } from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';
import { refer, serve } from './reference-scene.ts';

/** Answers look-ups with what `says` has, and writes down when it was asked. */
function reader(says: { answer: string | Error }): { exec: PodExec; askedAt: number[] } {
  const askedAt: number[] = [];
  return {
    askedAt,
    exec: async (_, argv) => {
      if (!argv[2]?.includes('.sluice-look-up')) return '';
      askedAt.push(Date.now());
      if (says.answer instanceof Error) throw says.answer;
      return says.answer;
    },
  };
}
const WELL = 'asked\n';
const BROKEN = 'sh: 1: cannot open /mnt/.x: Input/output error\nasked\n';

async function scene(says: { answer: string | Error }) {
  const { exec, askedAt } = reader(says);
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })], { exec, probeMs: 60_000 });
  return { at, askedAt };
}

/** A client on a node, as the DaemonSet would have it there. */
function read(at: Harness, dataset = 'demo', namespace = 'ml'): void {
  // The DaemonSet's own counts, and its end of the pod, would be news.
  at.controllers.paused.add('daemonsets').add('garbage');
  const name = `${dataset}-fuse`;
  const daemonSet = at.server.get('DaemonSet', namespace, name)!;
  at.server.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-a`,
      namespace,
      labels: {
        'fluid.io/dataset-id': `${namespace}-${dataset}`,
        'pod-template-generation': daemonSet.metadata.annotations?.['deprecated.daemonset.template.generation'] ?? '',
      },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: daemonSet.metadata.uid!, controller: true }],
    },
    spec: { nodeName: 'node-1', containers: [{ name: 'fuse' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  } as KubeObject);
}
const saidOf = (at: Harness) => [at.conditions('Dataset')['DataUnavailable'], at.conditions('ThinRuntime')['DataUnavailable']];
const FAILS = 'True ReadsFail: A pod that looks up a file gets the error “Input/output error”: the store does not answer.';
const WAITS = 'True ReadsFail: A pod that looks up a file waits: the store does not answer.';

describe('a store that does not answer', () => {
  test('is asked about only while a client runs', async () => {
    const { at, askedAt } = await scene({ answer: BROKEN });
    await at.advance(600_000);
    expect(askedAt).toEqual([]);
    expect(saidOf(at)).toEqual([undefined, undefined]);
  });

  test('is a condition of Dataset and runtime, and one event of each, until it answers', async () => {
    const says: { answer: string | Error } = { answer: WELL };
    const { at } = await scene(says);
    read(at);
    await at.advance(61_000);
    expect(saidOf(at)).toEqual([undefined, undefined]);
    at.forget();
    says.answer = BROKEN;
    await at.advance(61_000);
    expect(saidOf(at)).toEqual([FAILS, FAILS]);
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
    says.answer = new CommandTimeout('sh took longer than 10 s', true);
    await at.advance(61_000);
    expect(saidOf(at)).toEqual([WAITS, WAITS]);
    expect(at.events.filter(({ reason }) => reason === 'DataUnavailable')).toHaveLength(2);
    says.answer = WELL;
    await at.advance(61_000);
    expect(saidOf(at)).toEqual([undefined, undefined]);
  });

  test('is asked again after 10, 20 and 30 s, then once a minute, and writes nothing meanwhile', async () => {
    const says: { answer: string | Error } = { answer: BROKEN };
    const { at, askedAt } = await scene(says);
    read(at);
    await at.advance(1_000);
    at.forget();
    await at.advance(180_000);
    expect(askedAt.slice(1).map((time, i) => Math.round((time - (askedAt[i] ?? 0)) / 1000))).toEqual([10, 20, 30, 60, 60]);
    expect(at.written()).toEqual([]);
    says.answer = WELL;
    await at.advance(121_000);
    expect(askedAt.slice(-2).map((time, i, all) => Math.round((time - (all[i - 1] ?? time)) / 1000))).toEqual([0, 60]);
  });

  test('is no condition once nobody reads, and not known of another client', async () => {
    const says: { answer: string | Error } = { answer: BROKEN };
    const { at } = await scene(says);
    read(at);
    await at.advance(1_000);
    expect(saidOf(at)).toEqual([FAILS, FAILS]);
    at.server.remove('Pod', 'ml', 'demo-fuse-a');
    at.put({ ...at.get('Dataset')!, metadata: { ...at.get('Dataset')!.metadata, labels: { touched: '1' } } });
    await at.advance(61_000);
    expect(saidOf(at)).toEqual([undefined, undefined]);
  });

  test('is what a Dataset says that refers to the one whose store it is', async () => {
    const says: { answer: string | Error } = { answer: BROKEN };
    const { exec } = reader(says);
    const at = await boundHarness([], { exec, probeMs: 60_000 });
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    read(at, 'source', 'default');
    await at.advance(5_000);
    expect(saidOf(at)).toEqual([FAILS, FAILS]);
    says.answer = WELL;
    await at.advance(121_000);
    expect(saidOf(at)).toEqual([undefined, undefined]);
  });

  test('is not said of an image without a shell, or of a command that could not be run', async () => {
    const says: { answer: string | Error } = { answer: BROKEN };
    const { at } = await scene(says);
    read(at);
    await at.advance(1_000);
    // The former state stays: this answer says nothing.
    says.answer = new Error('sh in ml/demo-fuse-a could not start: executable file not found');
    await at.advance(61_000);
    expect(saidOf(at)).toEqual([FAILS, FAILS]);
    says.answer = WELL;
    await at.advance(61_000);
    // The node is lost: the look-up has not begun.
    for (const error of [new Error('the API server answered 500'), new CommandTimeout('sh took longer than 10 s', false)]) {
      says.answer = error;
      await at.advance(61_000);
      expect(saidOf(at)).toEqual([undefined, undefined]);
    }
  });
});
