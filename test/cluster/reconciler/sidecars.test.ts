/** The sidecars of pods that have ended otherwise, with the watches, the exec and the events of a real API server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { eventually, type Sluice, type Space, startSluice } from '../../support/sluice.ts';
import { sharedControlPlane, simulated } from '../../support/test-cluster.ts';

describe.skipIf(!simulated)('the sidecar of a pod', () => {
  let sluice: Sluice;
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
  });
  afterAll(() => sluice?.stop());

  const UNMOUNT = ['sh', '-c', 'umount "$1"; rmdir "$1"', 'sluice', '/mnt/a b'];
  const pod = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { 'done.sidecar.fluid.io/inject': 'true', 'dataset-name.sidecar.fluid.io/fluid-fuse-0': 'demo' },
    },
    spec: {
      restartPolicy: 'Never',
      containers: [
        { name: 'fluid-fuse-0', image: 'example.io/fuse', lifecycle: { preStop: { exec: { command: UNMOUNT } } } },
        { name: 'main', image: 'example.io/main' },
      ],
    },
  });
  /** Pods whose containers run. */
  async function running(...names: readonly string[]): Promise<Space> {
    const space = await sluice.space('sidecar');
    await space.create(...names.map(pod));
    for (const name of names) await space.becomes('Pod', name, { status: { phase: 'Running' } });
    return space;
  }
  const status = (name: string, state: object) => ({
    name,
    image: 'i',
    imageID: 'i',
    ready: false,
    restartCount: 0,
    containerID: `c://${name}`,
    state,
  });
  const terminated = { terminated: { exitCode: 0, reason: 'Completed' } };
  const mainEnds = (space: Space, name: string) =>
    space.patch(
      'Pod',
      name,
      { status: { containerStatuses: [status('fluid-fuse-0', { running: {} }), status('main', terminated)] } },
      'status',
    );
  const calls = async ({ namespace }: Space) =>
    (await sluice.plane.exec.calls({ namespace })).map(({ pod: name, container, argv }) => [`${name}/${container}`, argv]);

  test('is unmounted when its main container has ended, and no other', async () => {
    const space = await running('first', 'second');
    await sluice.plane.exec.answer({ namespace: space.namespace, argv: UNMOUNT, stdout: '' });
    await mainEnds(space, 'first');
    await eventually(async () => expect(await calls(space)).toEqual([['first/fluid-fuse-0', UNMOUNT]]));
    await space.patch('Pod', 'first', { status: { phase: 'Succeeded' } }, 'status');
    await eventually(() => expect(sluice.log.join('\n')).toContain('the sidecar has ended, as everything in its pod before it'));
    expect(await calls(space)).toHaveLength(1);
    expect((await space.events('first')).join()).not.toContain('SidecarNotStopped');
  });
  test('is unmounted again when that fails, and an event says why', async () => {
    const space = await running('busy');
    await sluice.plane.exec.answer({ namespace: space.namespace, argv: UNMOUNT, stdout: '' });
    await sluice.plane.exec.answer({ namespace: space.namespace, argv: UNMOUNT, stderr: 'umount: target is busy', exitCode: 32, times: 1 });
    await mainEnds(space, 'busy');
    await eventually(async () => expect(await calls(space)).toHaveLength(2));
    await eventually(async () =>
      expect(await space.events('busy')).toContainEqual(
        expect.stringMatching(/^Warning SidecarNotStopped: .*fluid-fuse-0 still runs: sh in .* exit code 32: umount: target is busy/),
      ),
    );
  });
});
