/** A move from each Fluid 1.0.x, and back, by what its chart installs. */
import { expect, test } from 'vitest';
import { ALL_APPLIED } from '../../src/takeover/world/world.ts';
import { observe } from '../../src/takeover/world/observe.ts';
import { firstOpen } from '../../src/takeover/steps/run.ts';
import { FORWARD } from '../../src/takeover/go/forward.ts';
import { chartOf, VERSIONS } from './charts.ts';
import { back, go, NAMESPACE, scene, type Scene } from './scene.ts';

const fluids = ({ server }: Scene) =>
  server
    .all('Pod')
    .flatMap(({ metadata: { name } }) => (/^(?!sluice)(\w+-controller|fluid-webhook|csi-nodeplugin)/.test(name) ? [name] : []));

test.each(VERSIONS)('a Fluid %s moves over, and all of it is back afterwards', async (version) => {
  const at = scene({ chart: chartOf(version) });
  const before = at.digest();
  const pods = fluids(at).length;
  expect(pods).toBeGreaterThan(5);
  await go(at);
  expect(fluids(at)).toEqual([]);
  expect(firstOpen(FORWARD, await observe(at.client, at.target, ALL_APPLIED))).toEqual([FORWARD.length, undefined]);
  await back(at);
  expect(at.violations).toEqual([]);
  expect(fluids(at)).toHaveLength(pods);
  const after = at.digest();
  const differing = Object.keys(before).filter((name) => after[name] !== before[name]);
  // Sluice's CRDs and labels stay: both keep what Fluid had.
  expect(differing).toEqual(['CustomResourceDefinition /datasets.data.fluid.io', `Namespace /${NAMESPACE}`]);
  expect(at.server.get('DaemonSet', NAMESPACE, 'sluice-csi')).toBeUndefined();
});
