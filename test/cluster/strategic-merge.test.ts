/** Strategic merge patches of the API server in memory against those of a real one. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { strategicMerge } from '../../src/api-server/strategic-merge/index.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { objectPath, withQuery } from '../../src/kube/client/paths.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';
import { unique } from '../api-server/suite/objects.ts';
import { type Patched, patched } from '../api-server/strategic-merge/cases.ts';
import { types } from '../api-server/tables/given.ts';
import { sharedControlPlane, simulated } from '../support/test-cluster.ts';

/** The part of an object that the patch does not write. */
const essence = ({ metadata, ...object }: KubeObject) => {
  const { managedFields: _, generation: __, ...meta } = metadata;
  return { ...object, metadata: meta };
};
const failed = ({ status }: { readonly status?: number }) => ({ refused: status });

describe.skipIf(!simulated)('strategic merge patches of a real API server', () => {
  const namespace = unique('patches');
  let client: KubeClient;
  let live: ReadonlyMap<ResourceType, KubeObject>;

  beforeAll(async () => {
    client = createClient(connectionFromKubeconfig([sharedControlPlane().kubeconfig]), { fieldManager: 'patches' });
    await client.create(types.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    live = new Map(
      await Promise.all(
        all.map(
          async ({ type, object }) =>
            [
              type,
              await client.create(type, { ...object, metadata: { ...object.metadata, ...(type.namespaced && { namespace }) } }),
            ] as const,
        ),
      ),
    );
  });
  afterAll(async () => {
    for (const [type, { metadata }] of live ?? []) {
      await client.patch(type, metadata, { metadata: { finalizers: null } }, { type: 'merge' }).catch(() => {});
      await client.delete(type, metadata).catch(() => {});
    }
    await client.delete(types.Namespace, { name: namespace }).catch(() => {});
    await client.close();
  });

  const all = patched('');
  const cases = (part: 'patches' | 'status' | 'refused') =>
    all.flatMap((each: Patched) =>
      Object.entries(each[part] ?? {}).map(([title, patch]) => [`${each.type.kind}: ${title}`, each.type, patch] as const),
    );

  /**
   * Both are dry runs on the same object: the API server applies the patch, and writes what we make of it. So defaults are its own.
   * Returns what came of both.
   */
  async function outcomes(type: ResourceType, patch: object, subresource?: string): Promise<{ theirs: object; ours: object }> {
    const before = await client.get(type, live.get(type)!.metadata);
    const path = withQuery(objectPath(type, before.metadata, subresource), { dryRun: 'All', fieldManager: 'patches' });
    const sent = { body: patch, contentType: 'application/strategic-merge-patch+json' };
    // The cast: the answer to a patch is the object.
    const theirs = await (client.raw('PATCH', path, sent) as Promise<KubeObject>).then(essence, failed);
    const ours = await merged(type, before, patch, subresource);
    const { resourceVersion } = (await client.get(type, before.metadata)).metadata;
    // A controller has written in between.
    if (resourceVersion !== before.metadata.resourceVersion) return outcomes(type, patch, subresource);
    return { theirs, ours };
  }
  async function merged(type: ResourceType, before: KubeObject, patch: object, subresource?: string) {
    try {
      // The cast: the API server judges it.
      const wanted = strategicMerge(type, before, patch) as KubeObject;
      return await client.update(type, wanted, { dryRun: true, subresource }).then(essence, failed);
    } catch (error) {
      return failed(error as { readonly status?: number });
    }
  }

  const agree = async (type: ResourceType, patch: object, subresource?: string) => {
    const { theirs, ours } = await outcomes(type, patch, subresource);
    expect(theirs).not.toHaveProperty('refused');
    expect(ours).toEqual(theirs);
  };
  test.each(cases('patches'))('%s', (_, type, patch) => agree(type, patch));
  test.each(cases('status'))('status of a %s', (_, type, patch) => agree(type, patch, 'status'));
  test.each(cases('refused'))('refused: %s', async (_, type, patch) => {
    const { theirs, ours } = await outcomes(type, patch);
    expect(theirs).toEqual({ refused: expect.any(Number) });
    expect(ours).toEqual(theirs);
  });

  /** kubectl's commands for a Deployment that it has applied, and that `file` now has in another form. */
  const commands: Readonly<Record<string, (file: string) => readonly string[]>> = {
    apply: (file) => ['apply', '-f', file],
    'set image': () => ['set', 'image', 'deployment/applied', 'side=example.io/side:2'],
    'set env': () => ['set', 'env', 'deployment/applied', '-c', 'main', 'A-', 'D=4'],
    'set resources': () => ['set', 'resources', 'deployment/applied', '--limits=cpu=3'],
    'rollout restart': () => ['rollout', 'restart', 'deployment/applied'],
    edit: () => ['edit', 'deployment/applied'],
  };
  test('kubectl sends what has the same outcome', async () => {
    const { kubeconfig, kubectlPath, dir } = sharedControlPlane();
    const file = join(dir, 'applied.json');
    const at = { namespace, name: 'applied' };
    /** The bodies of its requests. */
    const kubectl = async (args: readonly string[]): Promise<readonly object[]> => {
      const argv = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(dir, 'kubectl-cache')}`, '-n', namespace, '-v=10', ...args];
      const env = { ...process.env, KUBE_EDITOR: 'sed -i s,example.io/last:1,example.io/last:3,' };
      const { stderr } = await promisify(execFile)(kubectlPath, argv, { env, maxBuffer: 64 << 20 });
      const bodies = [...stderr.matchAll(/"Request Body" body=("(?:[^"\\]|\\.)+")/g)].map(([, body = '']) => JSON.parse(body) as string);
      return bodies.map((body) => JSON.parse(body));
    };
    const { object } = all.find((each) => each.type === types.Deployment)!;
    const applied = { ...object, metadata: { name: 'applied', labels: { a: '1', b: '2' } } };
    writeFileSync(file, JSON.stringify(applied));
    await kubectl(['apply', '-f', file]);
    writeFileSync(file, JSON.stringify(inAnotherForm(applied)));

    for (const [command, argsOf] of Object.entries(commands)) {
      const before = await client.get(types.Deployment, at);
      const bodies = await kubectl(argsOf(file));
      expect(bodies, command).toHaveLength(1);
      // The cast: the API server judges it.
      const { metadata, ...wanted } = strategicMerge(types.Deployment, before, bodies[0]!) as KubeObject;
      const { resourceVersion: _, ...meta } = metadata;
      const ours = await client.update(types.Deployment, { ...wanted, metadata: meta }, { dryRun: true });
      const after = await client.get(types.Deployment, at);
      expect(after['spec'], command).not.toEqual(before['spec']);
      expect(ours['spec'], command).toEqual(after['spec']);
      expect(ours.metadata.labels, command).toEqual(after.metadata.labels);
    }
  });
});

/** Other containers in another order, other variables, ports, mounts and volumes, and fields less. */
function inAnotherForm(deployment: KubeObject): KubeObject {
  // The cast: cases.ts has written it.
  const { spec } = deployment as unknown as { spec: { template: { spec: Pod } } };
  const { nodeSelector: _, ...pod } = spec.template.spec;
  const [main, side, last] = pod.containers;
  const containers = [
    last,
    { name: 'new', image: 'example.io/new:1' },
    { ...main, env: [main?.env?.[1], { name: 'Z', value: '1' }, main?.env?.[0]], ports: [main?.ports?.[1]], volumeMounts: [], args: ['z'] },
    side,
  ];
  const volumes = [pod.volumes[1], { name: 'data', hostPath: { path: '/data' } }];
  return {
    ...deployment,
    metadata: { ...deployment.metadata, labels: { b: '3', c: '4' } },
    spec: { ...spec, strategy: { type: 'Recreate' }, template: { ...spec.template, spec: { ...pod, containers, volumes } } },
  };
}
interface Pod {
  readonly containers: readonly { readonly env?: readonly object[]; readonly ports?: readonly object[] }[];
  readonly volumes: readonly object[];
  readonly nodeSelector: object;
}
