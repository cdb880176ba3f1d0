import { expect, test } from 'vitest';
import type { Manifest } from '../../../src/api/index.ts';
import type { Rule } from '../../install/used.ts';
import { sluice } from '../run.ts';

async function installed(values: string): Promise<readonly Manifest[]> {
  const { code, stdout, stderr } = await sluice(['install', '--image', 'sluice:1', '--values', '-', '-o', 'json'], { input: values });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { readonly items: readonly Manifest[] }).items;
}
const ofUi = (objects: readonly Manifest[]) => objects.filter(({ metadata }) => metadata.name === 'sluice-ui');
const named = (objects: readonly Manifest[], kind: string) =>
  objects.find((each) => each.kind === kind) as Manifest & Record<string, unknown>;

test('the page is installed only if asked for', async () => {
  expect(ofUi(await installed(''))).toEqual([]);
  const objects = ofUi(await installed('ui: { enabled: true }'));
  expect(objects.map(({ kind }) => kind)).toEqual([
    'ServiceAccount',
    'ClusterRole',
    'ClusterRoleBinding',
    'NetworkPolicy',
    'Service',
    'Deployment',
  ]);
});

test('its one replica runs without any privilege, with the settings of the controller, and receives requests on its port alone', async () => {
  const objects = ofUi(
    await installed(
      'ui: { enabled: true, args: ["--log-level", "warn"], podLabels: { team: x } }\nmountRoot: /data\nregistry: example.io/mirror',
    ),
  );
  const { spec } = named(objects, 'Deployment') as unknown as {
    spec: {
      replicas: number;
      template: {
        metadata: { labels: object };
        spec: {
          securityContext: object;
          containers: readonly [{ args: readonly string[]; env: readonly object[]; ports: readonly object[]; securityContext: object }];
        };
      };
    };
  };
  const { containers, securityContext } = spec.template.spec;
  expect(spec.replicas).toBe(1);
  expect(containers[0].args).toEqual(['ui', '--in-cluster', '--log-level', 'warn']);
  expect(containers[0].env).toEqual(
    expect.arrayContaining([
      { name: 'MOUNT_ROOT', value: '/data' },
      { name: 'SLUICE_REGISTRY', value: 'example.io/mirror' },
    ]),
  );
  expect(containers[0].ports).toEqual([
    { name: 'page', containerPort: 8000, protocol: 'TCP' },
    { name: 'metrics', containerPort: 8080, protocol: 'TCP' },
  ]);
  expect(containers[0].securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
  expect(securityContext).toMatchObject({ runAsNonRoot: true });
  expect(spec.template.metadata.labels).toMatchObject({ team: 'x' });
  expect(named(objects, 'NetworkPolicy')).toMatchObject({ spec: { ingress: [{ ports: [{ port: 'page' }, { port: 'metrics' }] }] } });
  expect(named(objects, 'Service')).toMatchObject({ spec: { ports: [{ port: 80, targetPort: 'page' }] } });
});

test('its rights read no Secret and no ConfigMap, and write nothing but reviews', async () => {
  const { rules } = named(ofUi(await installed('ui: { enabled: true }')), 'ClusterRole') as unknown as { rules: readonly Rule[] };
  expect(rules.flatMap(({ resources }) => resources)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/secrets|configmaps|\*|exec|token$/)]),
  );
  const writes = rules.filter(({ verbs }) => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)));
  expect(writes).toEqual([
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ]);
});
