/** `sluice diff` over what Fluid has set up says what the controller then does. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import alluxio from '../../../runtimes/alluxio/index.ts';
import cache from '../../../runtimes/cache/index.ts';
import efc from '../../../runtimes/efc/index.ts';
import jindo from '../../../runtimes/jindo/index.ts';
import juicefs from '../../../runtimes/juicefs/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import vineyard from '../../../runtimes/vineyard/index.ts';
import { changesOf, readable } from '../../../src/cli/diff/changes.ts';
import type { Change } from '../../../src/planning/diff/change.ts';
import { changeLines } from '../../../src/cli/diff/change-lines.ts';
import { operationChanges } from '../../../src/cli/diff/operation-changes.ts';
import { releases } from '../../../src/cli/diff/released.ts';
import { readInput } from '../../../src/cli/input/read.ts';
import { inCluster } from '../../../src/cli/synth/lookup.ts';
import { renderValid } from '../../../src/cli/synth/render.ts';
import { warningLines } from '../../../src/cli/synth/warnings.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { GOLDENS, hasGoldens } from '../../upstream/cases.ts';
import { type Harness, harness } from '../../reconciler/harness.ts';
import { asBefore105, putGolden } from '../../reconciler/takeover/put-golden.ts';

const runtimes = [thin, alluxio, juicefs, jindo, efc, vineyard, cache];
const settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };

const fluids = (golden: string, changed?: typeof asBefore105) =>
  harness({ runtimes, fluidsWorkloads: true, prepare: (server) => putGolden(server, join(GOLDENS, golden), changed) });

/** As `kubectl get … -A -o yaml | sluice diff -`, without what Fluid's helm keeps. */
async function diffOf({ server }: Harness, namespace: string) {
  const client = server.client({ fieldManager: 'sluice' });
  const kinds = new Set(['Dataset', 'DataLoad', 'DataProcess', 'DataMigrate', ...runtimes.map(({ resource }) => resource.kind)]);
  const objects = server.all().filter(({ kind, metadata }) => kinds.has(kind) && metadata.namespace === namespace);
  const input = readInput([['input', objects.map((each) => stringify(each)).join('---\n')]], runtimes, namespace);
  const rendered = await renderValid(input, { settings, runtimes, elsewhere: inCluster(client, runtimes) });
  const changes: Change[] = [];
  for (const each of rendered.datasets) changes.push(...(await changesOf(client, each, () => false)));
  changes.push(...(await releases(client, rendered.datasets, runtimes)));
  for (const each of rendered.operations) changes.push(...(await operationChanges(client, each)));
  return { changes, warnings: warningLines(rendered), faults: rendered.faults };
}
const specOf = (object: KubeObject | undefined) => {
  const { spec, data, rules } = (object ? readable(object) : {}) as { spec?: { claimRef?: object }; data?: object; rules?: object };
  // Claim and volume are bound by Kubernetes meanwhile.
  const { claimRef: _, ...rest } = spec ?? {};
  return { spec: rest, data, rules };
};

describe.skipIf(!hasGoldens)('diff over an installation of Fluid', () => {
  test.each(['alluxio/mem-basic', 'juicefs/ce-min', 'jindo/oss-basic', 'efc/full', 'thin/plain-min', 'vineyard/default', 'cache/full'])(
    'says of %s what the controller does',
    async (golden) => {
      const namespace = `g-${golden.replace('/', '-')}`;
      const at = await fluids(golden);
      at.forget();
      const { changes, faults } = await diffOf(at, namespace);
      expect(faults).toEqual([]);
      expect(changes.filter(({ action }) => action === 'refuse')).toEqual([]);
      expect(changes.flatMap(({ restarting }) => restarting)).toEqual([]);
      expect(at.written({ when: ({ options }) => options['dryRun'] !== true })).toEqual([]);
      await at.quiet();
      for (const { object, action, after } of changes) {
        const [kind = '', path = ''] = object.split(' ');
        const [name = '', home] = path.split('/').toReversed();
        const live = at.server.get(kind, home, name);
        if (action === 'prune') expect(live, object).toBeUndefined();
        else expect(live, object).toBeDefined();
        if (action === 'change') expect(specOf(live), object).toEqual(specOf(after));
      }
    },
  );

  test('names pods that would get the label by which they are found', async () => {
    const at = await fluids('alluxio/mem-basic', asBefore105);
    const { changes } = await diffOf(at, 'g-alluxio-mem-basic');
    const text = changeLines(changes)
      .map((line) => (typeof line === 'string' ? line : line.map((part) => (typeof part === 'string' ? part : part.text)).join('')))
      .join('\n');
    expect(text).toContain('! get the label fluid.io/dataset-id, and run on: hbase-worker-0');
  });

  test('names AdvancedStatefulSets that would be deleted without their pods', async () => {
    const at = await fluids('cache/full');
    const { changes } = await diffOf(at, 'g-cache-full');
    const gone = changes.filter(({ action }) => action === 'prune');
    expect(gone.map(({ object }) => object)).toEqual([
      'AdvancedStatefulSet g-cache-full/curvine-demo-master',
      'AdvancedStatefulSet g-cache-full/curvine-demo-worker',
    ]);
    expect(gone[0]?.note).toContain('its pods stay');
  });

  test('leaves the Job and the script of an operation that Fluid runs', async () => {
    const at = await fluids('operations/load-alluxio-min');
    const [operation] = at.server.all('DataLoad');
    const { resourceVersion: _, ...metadata } = operation!.metadata;
    at.server.put({
      ...operation!,
      metadata,
      status: { phase: 'Executing', conditions: [], duration: 'Unfinished', infos: {} },
    } as KubeObject);
    const { changes } = await diffOf(at, String(metadata.namespace));
    const about = changes.filter(({ object }) => object.includes('loader'));
    expect(about.map(({ action, note = '' }) => `${action} ${note}`)).toEqual([
      'none exists: no Job is changed, so an edit of its operation has no effect',
    ]);
  });

  test('says that a reference of another namespace which Fluid had set up is kept', async () => {
    const at = await fluids('thin/plain-min');
    const volume = at.server.get('PersistentVolume', undefined, 'g-thin-plain-min-demo')!;
    const { claimRef: _, ...spec } = volume['spec'] as { claimRef: object };
    const { labels, annotations } = volume.metadata;
    const claimRef = { namespace: 'g-other', name: 'ref' };
    at.server.put({ ...volume, metadata: { name: 'g-other-ref', labels, annotations }, spec: { ...spec, claimRef } } as KubeObject);
    const mounts = [{ mountPoint: 'dataset://g-thin-plain-min/demo' }];
    const metadata = { name: 'ref', namespace: 'g-other' };
    at.server.put({
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'Dataset',
      metadata,
      spec: { mounts },
      status: { phase: 'Bound' },
    } as KubeObject);
    const { warnings } = await diffOf(at, 'g-other');
    expect(warnings.join('\n')).toContain('The reference is kept, since Fluid had set it up.');
  });
});
