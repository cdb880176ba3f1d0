/** Every manifest that we render comes back from the API server as it was sent: or it would look like drift for ever. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { differences } from '../../../src/planning/diff/compare.ts';
import { ownedType } from '../../../src/planning/kinds.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import { sharedCluster } from '../../support/test-cluster.ts';

const root = join(import.meta.dirname, '../../golden');
const files = globSync('*/*.yaml', { cwd: root }).filter((file) => !file.startsWith('cli/'));

describe('the manifests of', () => {
  let client: KubeClient;
  let namespace: string;
  beforeAll(async () => {
    const cluster = await sharedCluster();
    client = createClient(connectionFromKubeconfig([cluster.kubeconfig]), { fieldManager: 'sluice' });
    namespace = `canonical-${process.hrtime.bigint().toString(36)}`;
    await cluster.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });
  afterAll(async () => {
    await client.delete({ group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }, { name: namespace });
    await client.close();
  });

  test.each(files)('%s come back as they were sent, and can be applied over themselves', async (file) => {
    const manifests = parseAllDocuments(readFileSync(join(root, file), 'utf8')).flatMap(
      (document) => (document.toJS() as KubeObject | null) ?? [],
    );
    expect(manifests.length).toBeGreaterThan(0);
    for (const manifest of manifests) {
      const type = ownedType(manifest.kind);
      const sent = { ...manifest, metadata: { ...manifest.metadata, ...(type.namespaced && { namespace }) } };
      const created = await client.create(type, sent, { dryRun: true, fieldValidation: 'Strict' });
      expect(differences(sent, created), `${manifest.kind}/${manifest.metadata.name} created`).toEqual([]);
      const applied = await client.apply(type, sent, { dryRun: true, force: true, fieldValidation: 'Strict' });
      expect(differences(sent, applied), `${manifest.kind}/${manifest.metadata.name} applied`).toEqual([]);
    }
  });
});
