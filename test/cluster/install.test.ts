/** Sluice's own manifests on a real API server: `sluice install` as an operator uses it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/kube/types.ts';
import { type ControlPlane, startControlPlane } from '../../src/testing/index.ts';
import { sluice } from '../cli/run.ts';
import { simulated } from '../support/cluster.ts';

const NAMESPACE = 'fluid-system';

describe.skipIf(!simulated)('sluice install', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 2, audit: true });
  });
  afterAll(() => plane?.stop());

  /** Prints the manifests, applies them, and returns what the API server then holds of each: `Kind/name` and resourceVersion. */
  async function install(...flags: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const { code, stdout, stderr } = await sluice(['install', ...flags]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const file = join(plane.dir, 'install.yaml');
    writeFileSync(file, stdout);
    await plane.kubectl('apply', '--server-side', '-f', file);
    const live = JSON.parse(await plane.kubectl('get', '-f', file, '-o', 'json')) as { readonly items: readonly KubeObject[] };
    expect(live.items).toHaveLength(parseAllDocuments(stdout).length);
    // What a controller writes on top is not ours: the spec's count of changes is.
    return Object.fromEntries(
      live.items.map(({ kind, metadata }) => [
        `${kind}/${metadata.name}`,
        `${metadata.uid} ${metadata.generation ?? metadata.resourceVersion}`,
      ]),
    );
  }
  const changed = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) =>
    Object.keys(after).filter((id) => after[id] !== before[id]);

  test('applies, brings up the pods, changes nothing the second time, and upgrades by the image alone', async () => {
    const first = await install('--image', 'sluice:a');
    await plane.kubectl('rollout', 'status', '-n', NAMESPACE, 'deployment/sluice-controller', '--timeout=60s');
    await plane.kubectl('rollout', 'status', '-n', NAMESPACE, 'daemonset/sluice-csi', '--timeout=60s');
    const second = await install('--image', 'sluice:a');
    expect(changed(first, second)).toEqual([]);
    const third = await install('--image', 'sluice:b');
    expect(changed(second, third)).toEqual(['Deployment/sluice-controller', 'DaemonSet/sluice-csi']);
  });
});
