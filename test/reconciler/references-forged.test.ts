import { expect, test } from 'vitest';
import * as write from '../support/objects.ts';
import { refer, serve, start, statusOf, synced } from './reference-scene.ts';

/** As far as a user can reach with `data.fluid.io/metadataList`: the mark of a reference that Fluid had set up. */
const forged = JSON.stringify([
  {
    selector: { kind: 'PersistentVolume' },
    labels: { 'fluid.io/dataset.referring-name': 'source', 'fluid.io/dataset.referring-namespace': 'default' },
    annotations: { 'data.fluid.io/reference-consent': 'fluid' },
  },
]);

test('a runtime cannot forge a reference: it keeps no Dataset of another namespace from being deleted, and gets no consent by it', async () => {
  const at = await start();
  serve(at);
  at.put(write.openDataset('demo'));
  const runtime = write.thinRuntime('demo', { profileName: 'profile' });
  at.put({ ...runtime, metadata: { ...runtime.metadata, annotations: { 'data.fluid.io/metadataList': forged } } });
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  expect(statusOf(at, 'default', 'source').datasetRef).toBeUndefined();
  expect(at.conditions('ThinRuntime')['SpecWarning']).toContain('only the controller writes data.fluid.io/reference-consent');

  at.put({ ...at.get('ThinRuntime')!, spec: {} });
  refer(at);
  await at.quiet();
  expect(synced(at)).toContain('ReferenceNotAllowed');
  expect(JSON.stringify(at.get('PersistentVolume', 'ml-demo'))).not.toContain('default/source');
  at.server.delete('Dataset', 'default', 'source');
  await at.quiet();
  expect(at.server.get('Dataset', 'default', 'source')).toBeUndefined();
});
