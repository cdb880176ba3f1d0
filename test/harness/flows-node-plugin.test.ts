/** The node plugin that `npm run flows` plays, on the API server in memory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { playNodePlugin } from '../../harness/flows/node-plugin.ts';
import { createApiServer } from '../../src/api-server/index.ts';
import { type KubeObject, resourceType } from '../../src/kube/types.ts';
import { claim, pod, volume } from '../api-server/suite/objects.ts';
import { kinds } from '../support/kinds.ts';
import { datasetObject } from '../support/objects.ts';

const EVENT = resourceType('events.k8s.io', 'Event', 'events');
const LABEL = 'fluid.io/f-ml-demo';

async function played(attributes: Readonly<Record<string, string>> = {}) {
  const server = createApiServer({ kinds: [kinds.Dataset, EVENT], namespaces: ['ml', 'fluid-system'] });
  server.put({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } });
  server.put({ ...datasetObject('demo', {}), metadata: { name: 'demo', namespace: 'ml' } });
  const csi = { driver: 'fuse.csi.fluid.io', volumeHandle: 'ml-demo' };
  const volumeAttributes = { fluid_path: '/runtime-mnt/thin/ml/demo/thin-fuse', ...attributes };
  const { spec, ...rest } = volume('ml-demo', 'ml', 'demo') as KubeObject & { readonly spec: object };
  server.put({ ...rest, spec: { ...spec, claimRef: { namespace: 'ml', name: 'demo' }, csi: { ...csi, volumeAttributes } } });
  server.put(claim('ml', 'demo', 'ml-demo'));
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'demo' } }];
  server.put({ ...pod('ml', 'reader', { nodeName: 'a', volumes }), status: { phase: 'Running' } });
  const startFuse = (name: string) =>
    server.put({ ...pod('ml', name, { nodeName: 'a', nodeSelector: { [LABEL]: 'true' } }), status: { phase: 'Running' } });
  const folder = mkdtempSync(join(tmpdir(), 'sluice-flows-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'log');
  const plugin = playNodePlugin(server.client(), log, (error) => expect.fail(String(error)));
  onTestFinished(() => plugin.stop());
  return {
    server,
    startFuse,
    isLabelled: () => server.get('Node', undefined, 'a')?.metadata.labels?.[LABEL] === 'true',
    /** Waits for a look that began from now on. */
    async looks() {
      const ended = () => server.requestsThat({ verb: 'list', kind: 'Node' }).length;
      const before = ended();
      await expect.poll(ended).toBeGreaterThan(before + 1);
    },
    said: () => readFileSync(log, 'utf8'),
    events: () => server.all().flatMap((object) => (object.apiVersion === 'events.k8s.io/v1' ? [String(object['note'])] : [])),
  };
}

test('a node has the label of a volume for as long as a pod on it mounts the volume', async () => {
  const { server, isLabelled } = await played();
  await expect.poll(isLabelled).toBe(true);
  server.remove('Pod', 'ml', 'reader');
  await expect.poll(isLabelled).toBe(false);
});

test.each([
  ['symlink', 1],
  ['bind', 0],
])(
  'an event says that a mount was recovered once another client runs, and the log that %s is a symlink %i times',
  async (method, times) => {
    const { server, startFuse, said, events, looks } = await played({ node_publish_method: method });
    await looks();
    startFuse('demo-fuse-1');
    await looks();
    expect(events()).toEqual([]);
    server.remove('Pod', 'ml', 'demo-fuse-1');
    startFuse('demo-fuse-2');
    await expect.poll(events).toEqual([expect.stringMatching(/^Fuse recover on node a: .* bound again for pods ml\/reader$/)]);
    expect(said().match(/"msg":"Creating symlink"/g)?.length ?? 0).toBe(times);
  },
);
