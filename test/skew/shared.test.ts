/**
 * Texts that controller, webhook, node plugin and pods hand to each other, as release 0.1 writes and reads them. During an upgrade the parts
 * are of two releases, so a later one keeps all of these; where one has to go, the next release still reads and writes it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { annotation, label } from '../../src/api/labels.ts';
import { csiDriver, fuseNodeLabel, fuseNodeRecord } from '../../src/api/names.ts';
import { ask, clientName, clientNumber, sidecar } from '../../src/api/sidecars.ts';
import { verifiedFuseIn, verifiedFuseText } from '../../src/api/verified-fuse.ts';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { openStaged } from '../../src/csi/stage/records.ts';
import { parseVolume } from '../../src/csi/volume.ts';
import { parseFuseConfig } from '../../src/fuse/config.ts';
import { parseNote } from '../../src/webhook/sidecar-note.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { commandNamed, root } from '../docs/pages.ts';

/** Objects of a golden manifest: what the controller of today writes. */
const written = (file: string): readonly KubeObject[] =>
  parseAllDocuments(readFileSync(join(root, 'test/golden', file), 'utf8')).map((document) => document.toJS() as KubeObject);
const LATER = { ofTomorrow: 'yes' };

describe('the volume, from the controller to the plugin', () => {
  const ATTRIBUTES = {
    fluid_path: '/runtime-mnt/juicefs/ml/demo/juicefs-fuse',
    mount_pod_node_selector_key: 'fluid.io/f-ml-demo',
    mount_type: 'JuiceFS',
    runtime_name: 'demo',
    runtime_namespace: 'ml',
  };
  test('is written as before', () => {
    const volume = written('juicefs/minimal.yaml').find(({ kind }) => kind === 'PersistentVolume');
    expect(volume).toMatchObject({ spec: { csi: { driver: 'fuse.csi.fluid.io', volumeHandle: 'ml-demo', volumeAttributes: ATTRIBUTES } } });
    expect(csiDriver).toBe('fuse.csi.fluid.io');
  });
  test.each([{}, LATER])('is read as before, with %j more', (more) =>
    expect(parseVolume({ ...ATTRIBUTES, ...more }, { mountRoot: '/runtime-mnt', method: 'bind' })).toEqual({
      fusePath: ATTRIBUTES.fluid_path,
      source: ATTRIBUTES.fluid_path,
      mountType: 'JuiceFS',
      method: 'bind',
      runtime: { namespace: 'ml', name: 'demo' },
      nodeLabel: 'fluid.io/f-ml-demo',
    }),
  );
});

describe('sidecars, from the controller to the webhook and back', () => {
  const VERIFIED = { name: 'demo-fuse', uid: '1f0e', generation: 3, hash: '0123456789abcdef' };
  test('the verified DaemonSet is one text', () => {
    expect(verifiedFuseText(VERIFIED)).toBe('demo-fuse/1f0e/3/0123456789abcdef');
    expect(verifiedFuseIn('demo-fuse/1f0e/3/0123456789abcdef')).toEqual(VERIFIED);
    expect([annotation.verifiedFuse, annotation.sidecar]).toEqual(['data.fluid.io/verified-fuse', 'data.fluid.io/sidecar']);
  });
  test('the note is JSON, to which fields may come', () => {
    const daemonSet = written('thin/mount-template.yaml').find(({ kind }) => kind === 'DaemonSet');
    expect(parseNote(daemonSet?.metadata.annotations?.['data.fluid.io/sidecar'] ?? '')).toEqual({ caches: [] });
    const note = { caches: ['cache-0'], refused: 'it needs a daemon' };
    expect(parseNote(JSON.stringify({ ...note, ...LATER }))).toEqual(note);
  });
  test('the pod has the marks by which the controller knows its clients', () => {
    expect(sidecar).toMatchObject({
      done: 'done.sidecar.fluid.io/inject',
      datasetName: 'dataset-name.sidecar.fluid.io/',
      datasetNamespace: 'dataset-namespace.sidecar.fluid.io/',
      prefetcher: 'fluid-file-prefetcher',
      prefetcherDone: 'file-prefetcher.fluid.io/inject-done',
      prefetcherStatus: '/tmp/fluid-file-prefetcher/status',
    });
    expect(ask).toMatchObject({ serverless: 'serverless.fluid.io/inject', serverful: 'fuse.serverful.fluid.io/inject' });
    expect([clientName(0), clientNumber('fluid-fuse-0'), clientNumber('fluid-fuse-1-init')]).toEqual(['fluid-fuse-0', 0, 1]);
  });
  test('the configuration of the webhook leads to its Service and path', () =>
    expect(webhookNames).toMatchObject({
      service: 'fluid-pod-admission-webhook',
      secret: 'fluid-webhook-certs',
      path: '/mutate-fluid-io-v1alpha1-schedulepod',
      port: 9443,
      validationPath: '/validate-data-fluid-io',
    }));
});

describe('the node, from the plugin to the controller and to the plugin after it', () => {
  const IDENTITY = { namespace: 'ml', name: 'demo', uid: '1f0e', collides: false };
  test('has the label that starts the fuse pod, and its record', () => {
    expect(fuseNodeLabel(IDENTITY)).toBe('fluid.io/f-ml-demo');
    expect(fuseNodeRecord('fluid.io/f-ml-demo')).toBe('labelled.data.fluid.io/f-ml-demo');
    expect(written('juicefs/minimal.yaml').find(({ kind }) => kind === 'DaemonSet')).toMatchObject({
      spec: { template: { spec: { nodeSelector: { 'fluid.io/f-ml-demo': 'true' } } } },
    });
  });
  test('keeps what was staged in files that the next plugin reads, and the last one could', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-staged-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const record = {
      handle: 'ml-demo',
      attributes: { fluid_path: '/runtime-mnt/thin/ml/demo/thin-fuse' },
      fuse: { runtime: { namespace: 'ml', name: 'demo' }, nodeLabel: 'fluid.io/f-ml-demo' },
    };
    const file = join(folder, `${createHash('sha256').update('ml-demo').digest('hex')}.json`);
    writeFileSync(file, JSON.stringify({ ...record, ...LATER }));
    expect(openStaged(folder).get('ml-demo')).toMatchObject(record);
    openStaged(folder).keep(record);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(record);
  });
});

describe('pods', () => {
  test('of a ThinRuntime read config.json, to which fields may come', () => {
    const { data = {} } = written('thin/mount-template.yaml').find(({ kind }) => kind === 'ConfigMap') as { data?: Record<string, string> };
    const today = JSON.parse(data['config.json'] ?? '') as object;
    expect(today).toMatchObject({ mounts: [{ mountPoint: 's3://a', name: 'a' }], targetPath: '/runtime-mnt/thin/ml/demo/thin-fuse' });
    expect(parseFuseConfig(JSON.stringify({ ...today, ...LATER }))).toEqual(parseFuseConfig(JSON.stringify(today)));
  });
  test('of all kinds have the labels by which they are found', () =>
    expect(label).toMatchObject({ datasetId: 'fluid.io/dataset-id', owner: 'data.fluid.io/owner-uid', managedBy: 'fluid.io/managed-by' }));
});

/** Manifests of release 0.1 with another image, as an upgrade by the image alone has them. */
test.each([
  ['reconcile', []],
  ['csi', ['--node-id', '--kubelet-dir', '--mount-root', '--pod-logs-dir', '--metrics-addr']],
  ['webhook', ['--validate']],
  ['fuse-config', ['--template', '--output', '--directory']],
] as const)('the command %s takes the flags that manifests of 0.1 give it', async (name, flags) => {
  const known = (await commandNamed(name)).options.map(({ long }) => long);
  expect(known).toEqual(expect.arrayContaining([...flags]));
});
