/** Pod templates of users are sent in canonical form: otherwise each pass would find a difference and write it again. */
import { App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basePlan, Worker } from '../../../src/constructs/index.ts';
import { createClient, type KubeClient } from '../../../src/kube/client/kube-client.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { differences } from '../../../src/planning/diff/compare.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import { planInput } from '../../../src/testing/index.ts';
import { freshNamespace, sharedCluster } from '../../support/test-cluster.ts';
import { namesOf } from '../../support/names.ts';
import { podTemplates } from '../../support/pod-templates.ts';

/** Checked as the template of any workload is, and no controller writes to it. */
const PodTemplate = { group: '', version: 'v1', plural: 'podtemplates', kind: 'PodTemplate', namespaced: true };

let client: KubeClient;
beforeAll(async () => {
  client = createClient(connectionFromKubeconfig([(await sharedCluster()).kubeconfig]), { fieldManager: 'sluice' });
});
afterAll(() => client.close());

const base = basePlan({ ...planInput(), runtime: namesOf('thin', 'ThinRuntime') }, { mountType: 'fuse.x', mountDir: 'x' });
const plan = { ...base, replicas: { worker: 0 } };

test('200 templates of users are written once: applied a second time, nothing is written', async () => {
  const namespace = await freshNamespace(await sharedCluster(), 'templates');
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(podTemplates, async (template) => {
      const chart = new Chart(new App(), 'chart', { namespace, disableResourceNameHashes: true });
      const volumes = [{ name: 'ours', emptyDir: {} }];
      new Worker(chart, plan, { template, containers: [{ name: 'main', image: 'i:1' }], volumes });
      const [workers] = chart.toJson() as [{ readonly spec: { readonly template: object } }];
      const metadata = { namespace, name: `template-${serial++}` };
      const sent: KubeObject = { apiVersion: 'v1', kind: 'PodTemplate', metadata, template: workers.spec.template };
      expect(differences(sent, await client.create(PodTemplate, sent, { fieldValidation: 'Strict' }))).toEqual([]);
      const applied = await client.apply(PodTemplate, sent, { force: true, fieldValidation: 'Strict' });
      expect(differences(sent, applied)).toEqual([]);
      // The first apply after a create notes whose the fields are; from then on nothing changes.
      const again = await client.apply(PodTemplate, sent, { force: true, fieldValidation: 'Strict' });
      expect(again.metadata.resourceVersion).toBe(applied.metadata.resourceVersion);
    }),
    { numRuns: 200 },
  );
});
