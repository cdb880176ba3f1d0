import { App, Chart } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import type { Affinity, Manifest, NodeSelectorTerm } from '../../src/api/index.ts';
import {
  type BasePlan,
  basePlan,
  type ComponentProps,
  type ContainerProps,
  Fuse,
  Master,
  owned,
  Worker,
} from '../../src/constructs/index.ts';
import { mergedAffinity } from '../../src/constructs/pod.ts';
import { DatasetClaim, DatasetVolumeObjects } from '../../src/constructs/volume.ts';
import { type Given, planInput } from '../../src/testing/given.ts';
import { namesOf } from '../support/names.ts';

const planOf = (given: Given<object> = {}, more: Partial<BasePlan> = {}) => ({
  ...basePlan({ ...planInput(given), runtime: namesOf('thin', 'ThinRuntime') }, { mountType: 'fuse.s3fs', mountDir: 'thin-fuse' }),
  replicas: { master: 1, worker: 2 },
  ...more,
});
const main = { name: 'main', image: 'i:1' };
const props: ComponentProps = { containers: [main] };
const only = (more: Partial<ContainerProps>): Partial<ComponentProps> => ({ containers: [{ ...main, ...more }] });

interface Pod {
  readonly containers: readonly Record<string, unknown>[];
  readonly volumes?: readonly { readonly name: string }[];
  readonly tolerations?: readonly object[];
  readonly affinity?: Affinity;
  readonly [field: string]: unknown;
}
interface Workload extends Manifest {
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: { readonly metadata: { readonly labels: Record<string, string>; readonly annotations: object }; readonly spec: Pod };
    readonly [field: string]: unknown;
  };
}
function rendered(plan: BasePlan, make: (chart: Chart) => unknown): Manifest {
  const chart = new Chart(new App(), plan.name, { namespace: plan.namespace, disableResourceNameHashes: true });
  make(chart);
  return (chart.toJson() as Manifest[])[0]!;
}
const worker = (more: Partial<ComponentProps> = {}, plan = planOf()) =>
  rendered(plan, (chart) => new Worker(chart, plan, { ...props, ...more })) as Workload;
const fuse = (more: Partial<ComponentProps> = {}, plan = planOf()) =>
  rendered(plan, (chart) => new Fuse(chart, plan, { ...props, ...more })) as Workload;
const master = (more: Partial<ComponentProps> = {}, plan = planOf()) =>
  rendered(plan, (chart) => new Master(chart, plan, { ...props, ...more })) as Workload;
const pod = ({ spec }: Workload) => spec.template.spec;

test('clients are not evicted from a node that cluster-autoscaler empties, unless a user says so', () => {
  const key = 'cluster-autoscaler.kubernetes.io/enable-ds-eviction';
  const annotationsOf = ({ spec }: Workload) => spec.template.metadata.annotations;
  expect(annotationsOf(fuse())).toMatchObject({ [key]: 'false' });
  expect(annotationsOf(fuse({ podAnnotations: { [key]: 'true' } }))).toMatchObject({ [key]: 'true' });
  // Pods of StatefulSets can run elsewhere.
  expect(annotationsOf(worker())).not.toHaveProperty([key]);
});
test('a fuse DaemonSet says which of its volumes a sidecar does not get', () => {
  const noteOf = ({ metadata }: Workload) => metadata.annotations?.['data.fluid.io/sidecar'];
  expect(noteOf(fuse())).toBe('{"caches":[]}');
  expect(noteOf(fuse({ sidecar: { caches: ['cache'], refused: 'it needs its node' } }))).toBe(
    '{"caches":["cache"],"refused":"it needs its node"}',
  );
  expect(noteOf(worker())).toBeUndefined();
});

describe('every workload', () => {
  test('is selected by app, release and role, as Fluid’s users do', () =>
    expect([master(), worker(), fuse()].map(({ spec }) => spec.selector.matchLabels)).toEqual(
      ['master', 'worker', 'fuse'].map((role) => ({ app: 'thin', release: 'demo', role: `thin-${role}` })),
    ));
  test('is owned by its runtime, which does not wait for it', () =>
    expect(worker().metadata.ownerReferences).toEqual([
      {
        apiVersion: 'data.fluid.io/v1alpha1',
        kind: 'ThinRuntime',
        name: 'demo',
        uid: 'uid-of-runtime',
        controller: true,
        blockOwnerDeletion: false,
      },
    ]));
  test('keeps its own labels whatever the user’s say', () => {
    const { labels } = worker({
      podLabels: { app: 'mine', release: 'mine', role: 'mine', 'fluid.io/dataset-id': 'mine', 'fluid.io/dataset': 'mine', team: 'ml' },
    }).spec.template.metadata;
    expect(labels).toMatchObject({
      app: 'thin',
      release: 'demo',
      role: 'thin-worker',
      'fluid.io/dataset-id': 'ml-demo',
      'fluid.io/dataset': 'ml-demo',
      team: 'ml',
    });
  });
  test('leaves it to its user when pods restart', () => expect(worker().spec['updateStrategy']).toEqual({ type: 'OnDelete' }));
  test('uses the network of the node only with hostNetwork', () => {
    expect(pod(worker({ hostNetwork: true }))).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' });
    expect(pod(worker())).toMatchObject({ dnsPolicy: 'ClusterFirst' });
    expect(pod(worker())).not.toHaveProperty('hostNetwork');
  });
  test('has privileges only where a FUSE client runs', () => {
    const privileges = (workload: Workload) => pod(workload).containers.map((each) => each['securityContext']);
    expect([master(), worker()].flatMap(privileges)).toEqual([undefined, undefined]);
    const sidecar = { name: 'sidecar', image: 'i:1' };
    expect(privileges(fuse({ containers: [main, sidecar] }))).toEqual([{ privileged: true, runAsUser: 0 }, undefined]);
    expect(privileges(worker({ containers: [main, { ...sidecar, fuseClient: true }] }))).toEqual([
      undefined,
      { privileged: true, runAsUser: 0 },
    ]);
    expect(privileges(fuse(only({ securityContext: { runAsUser: 7, runAsGroup: 7 } })))).toEqual([
      { privileged: true, runAsUser: 7, runAsGroup: 7 },
    ]);
  });
  test('may have whatever else a pod has', () => {
    const affinity = { nodeAffinity: {} };
    const more = { affinity, priorityClassName: 'high', terminationGracePeriodSeconds: 5, serviceAccountName: 'sa' };
    expect(pod(master({ ...more, ...only({ startupProbe: { exec: { command: ['up'] } } }) }))).toMatchObject({
      ...more,
      containers: [{ startupProbe: { exec: { command: ['up'] } } }],
    });
  });
  test('has each variable once, with the last value', () =>
    expect(
      pod(
        worker(
          only({
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          }),
        ),
      ).containers[0]?.['env'],
    ).toEqual([{ name: 'A', value: '2' }]));
  test('has each volume once, and refuses two of a name', () => {
    const volume = { name: 'v', emptyDir: {} };
    expect(pod(worker({ volumes: [volume, { ...volume }] })).volumes).toEqual([volume]);
    expect(() => worker({ volumes: [volume, { name: 'v', hostPath: { path: '/' } }] })).toThrow('spec.template.spec.volumes[v]');
  });
  test('has the first of two ports of a number, and both of two protocols', () => {
    const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }];
    expect(pod(worker(only({ ports }))).containers[0]?.['ports']).toEqual(ports);
    const twice = [
      { containerPort: 80, name: 'a' },
      { containerPort: 80, name: 'b' },
    ];
    expect(pod(worker(only({ ports: twice }))).containers[0]?.['ports']).toEqual(twice.slice(0, 1));
  });
  test('pulls with the Secrets of its spec, else with those of the installation', () => {
    const plan = planOf({ settings: { imagePullSecrets: ['global'] } });
    expect(pod(worker({}, plan))['imagePullSecrets']).toEqual([{ name: 'global' }]);
    expect(pod(worker({ imagePullSecrets: [{ name: 'own' }] }, plan))['imagePullSecrets']).toEqual([{ name: 'own' }]);
    expect(pod(worker())).not.toHaveProperty('imagePullSecrets');
  });
  test('sends no empty list, which would not come back', () => {
    const empty = worker({ ...only({ env: [], ports: [], volumeMounts: [] }), volumes: [], volumeClaimTemplates: [], tolerations: [] });
    expect(JSON.stringify(empty)).not.toContain('[]');
  });
});

describe('a template of a user', () => {
  const template = {
    metadata: { labels: { app: 'mine', team: 'ml' }, annotations: { a: 'b' } },
    spec: {
      serviceAccountName: 'mine',
      nodeSelector: { zone: 'eu', disk: 'ssd' },
      tolerations: [{ key: 'gpu' }],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] } },
      containers: [
        { name: 'sidecar', image: 's:1' },
        { name: 'main', image: 'theirs:1', env: [{ name: 'A', value: '1' }], resources: { requests: { cpu: '1000m' } }, workingDir: '/w' },
      ],
      initContainers: [{ name: 'init', image: 'i:1', resources: { limits: { memory: '1024Mi' } } }],
      volumes: [{ name: 'theirs', emptyDir: { sizeLimit: '1024Mi' } }],
    },
  };
  const { metadata, spec } = worker({
    template,
    nodeSelector: { zone: 'us' },
    volumes: [{ name: 'ours', emptyDir: {} }],
    containers: [
      { ...main, env: [{ name: 'A', value: '2' }] },
      { name: 'more', image: 'm:1' },
    ],
  }).spec.template;
  test('is the base: what it says and we do not stays', () => {
    expect(spec).toMatchObject({ serviceAccountName: 'mine', nodeSelector: { zone: 'us', disk: 'ssd' }, tolerations: [{ key: 'gpu' }] });
    expect(metadata).toMatchObject({ labels: { team: 'ml' }, annotations: { a: 'b' } });
  });
  test('keeps our labels as they are', () => expect(metadata.labels['app']).toBe('thin'));
  test('has its containers in its order, each with what we say of it, then ours', () => {
    expect(spec.containers.map(({ name, image }) => [name, image])).toEqual([
      ['sidecar', 's:1'],
      ['main', 'i:1'],
      ['more', 'm:1'],
    ]);
    expect(spec.containers[1]).toMatchObject({ workingDir: '/w', env: [{ name: 'A', value: '2' }], resources: { requests: { cpu: '1' } } });
  });
  test('is in the API server’s words, init containers and volumes too', () => {
    expect(spec['initContainers']).toEqual([{ name: 'init', image: 'i:1', resources: { limits: { memory: '1Gi' } } }]);
    expect(spec.volumes).toEqual([
      { name: 'theirs', emptyDir: { sizeLimit: '1Gi' } },
      { name: 'ours', emptyDir: {} },
    ]);
  });
  test('may keep pods off more nodes than the dataset does, not off fewer', () =>
    expect(spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.map(({ topologyKey }) => topologyKey)).toEqual([
      'zone',
      'kubernetes.io/hostname',
    ]));
  test.each<[string, NodeSelectorTerm[] | undefined, NodeSelectorTerm[] | undefined, number]>([
    ['one has none', undefined, [{ matchFields: [] }], 1],
    ['both have some', [{ matchFields: [] }, {}], [{}, {}, {}], 6],
    ['neither has any', undefined, undefined, 0],
  ])('of nodes, both must hold: %s', (_, a, b, terms) => {
    const of = (nodeSelectorTerms: NodeSelectorTerm[] | undefined): Affinity => ({
      nodeAffinity: nodeSelectorTerms ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } : {},
    });
    const both = mergedAffinity(of(a), of(b))?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    expect(both?.nodeSelectorTerms ?? []).toHaveLength(terms);
  });
});

describe('fuse pods', () => {
  const { nodeSelector, tolerations, volumes, containers } = pod(fuse({ nodeSelector: { zone: 'eu' } }));
  test('go only where the CSI plugin asks for them', () => expect(nodeSelector).toEqual({ 'fluid.io/f-ml-demo': 'true' }));
  test('go wherever they are asked for, whatever the taints', () => expect(tolerations).toEqual([{ operator: 'Exists' }]));
  test('share their directory with the node, mounts included', () => {
    expect(volumes).toContainEqual({ name: 'thin-fuse-mount', hostPath: { path: '/runtime-mnt/thin/ml/demo', type: 'DirectoryOrCreate' } });
    expect(containers[0]?.['volumeMounts']).toContainEqual({
      name: 'thin-fuse-mount',
      mountPath: '/runtime-mnt/thin/ml/demo',
      mountPropagation: 'Bidirectional',
    });
  });
  test('know whom they serve, and a user may say otherwise', () =>
    expect(pod(fuse(only({ env: [{ name: 'FLUID_RUNTIME_NS', value: 'x' }] }))).containers[0]?.['env']).toEqual([
      { name: 'FLUID_RUNTIME_TYPE', value: 'thin' },
      { name: 'FLUID_RUNTIME_NS', value: 'x' },
      { name: 'FLUID_RUNTIME_NAME', value: 'demo' },
    ]));
  test('say why they ended in their status, where the CSI plugin reads it; workers need not', () => {
    const policies = [fuse(), worker()].map((each) => pod(each)['containers'] as readonly object[]);
    expect(policies).toMatchObject([[{ terminationMessagePolicy: 'FallbackToLogsOnError' }], [expect.anything()]]);
    expect(policies[1]?.[0]).not.toHaveProperty('terminationMessagePolicy');
  });
  test('are critical only where the installation wants it', () => {
    expect(pod(fuse())['priorityClassName']).toBe('system-node-critical');
    expect(pod(fuse({}, planOf({ settings: { criticalFusePod: false } })))).not.toHaveProperty('priorityClassName');
  });
  test('carry their generation where there is one, for the CSI plugin', () => {
    const plan = planOf();
    const { labels } = fuse({}, { ...plan, fuse: { ...plan.fuse, generation: 3 } }).spec.template.metadata;
    expect(labels['fuse.runtime.fluid.io/generation']).toBe('3');
  });
  test('mount only the file system itself below the path shared with the host: nothing would unmount another there', () => {
    const plan = planOf();
    const mounts = pod(fuse({}, { ...plan, fuse: { ...plan.fuse, generation: 3 } })).containers.map((each) => each['volumeMounts']);
    expect(mounts).toEqual([[{ name: 'thin-fuse-mount', mountPath: '/runtime-mnt/thin/ml/demo', mountPropagation: 'Bidirectional' }]]);
  });
});

describe('workers', () => {
  test('of an exclusive dataset share no node with any other', () =>
    expect(pod(worker()).affinity?.podAntiAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchExpressions: [{ key: 'fluid.io/dataset', operator: 'Exists' }] }, topologyKey: 'kubernetes.io/hostname' },
      ],
    }));
  test('of a shared one keep off exclusive ones, and rather off each other', () => {
    const { podAntiAffinity } = pod(worker({}, planOf({ dataset: { placement: 'Shared' } }))).affinity ?? {};
    expect(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
      {
        labelSelector: { matchExpressions: [{ key: 'fluid.io/dataset-placement', operator: 'In', values: ['Exclusive'] }] },
        topologyKey: 'kubernetes.io/hostname',
      },
    ]);
    expect(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.[0]?.weight).toBe(50);
  });
  test('are near the pods that read, and only where the Dataset lets them', () => {
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['eu'] }] }] };
    expect(pod(worker({}, planOf({ dataset: { nodeAffinity: { required } } }))).affinity?.nodeAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: required,
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, preference: { matchExpressions: [{ key: 'fluid.io/f-ml-demo', operator: 'In', values: ['true'] }] } },
      ],
    });
  });
  test('say which dataset they hold, and how', () =>
    expect(worker().spec.template.metadata.labels).toMatchObject({
      'fluid.io/dataset': 'ml-demo',
      'fluid.io/dataset-placement': 'Exclusive',
    }));
  test('have the tolerations of the Dataset unless they have their own', () => {
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    expect(pod(worker({}, planOf({ dataset: { tolerations } }))).tolerations).toEqual(tolerations);
    expect(pod(worker({ tolerations: [{ operator: 'Exists' }] }, planOf({ dataset: { tolerations } }))).tolerations).toEqual([
      { operator: 'Exists' },
    ]);
  });
  test('are as many as are planned', () => expect(worker().spec['replicas']).toBe(2));
});

describe('volume and claim', () => {
  const volumeOf = (plan: BasePlan) =>
    rendered(plan, (chart) => new DatasetVolumeObjects(chart, plan)) as Manifest & { spec: Record<string, unknown> };
  const claimOf = (plan: BasePlan) =>
    rendered(plan, (chart) => new DatasetClaim(chart, plan)) as Manifest & { spec: Record<string, unknown> };
  test('are for each other', () => {
    expect(volumeOf(planOf()).spec['claimRef']).toEqual({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'ml', name: 'demo' });
    expect(claimOf(planOf()).spec['volumeName']).toBe(volumeOf(planOf()).metadata.name);
  });
  test('carry our labels whatever the user’s say, and the user’s others', () => {
    const plan = planOf();
    const labels = { 'fluid.io/dataset-id': 'mine', 'data.fluid.io/owner-uid': 'mine', team: 'ml' };
    const volume = volumeOf({
      ...plan,
      volume: { ...plan.volume, metadata: { ...plan.volume.metadata, volume: { labels, annotations: { CreatedBy: 'me', a: 'b' } } } },
    });
    expect(volume.metadata.labels).toEqual({
      'fluid.io/s-ml-demo': 'true',
      'fluid.io/dataset-id': 'ml-demo',
      'data.fluid.io/owner-uid': 'uid-of-runtime',
      team: 'ml',
    });
    expect(volume.metadata.annotations).toEqual({ CreatedBy: 'fluid', a: 'b' });
  });
  test('outlive the runtime: they have no owner', () =>
    expect([volumeOf(planOf()), claimOf(planOf())].map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined, undefined]));
  test('are where fuse pods can be, in an order that does not change', () => {
    const plan = planOf();
    const terms = (nodeSelector: Record<string, string>) =>
      volumeOf({ ...plan, fuse: { ...plan.fuse, nodeSelector } }).spec['nodeAffinity'];
    expect(terms({})).toBeUndefined();
    expect(terms({ b: '2', a: '1' })).toEqual(terms({ a: '1', b: '2' }));
    expect(terms({ a: '1' })).toEqual({
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1'] }] }] },
    });
  });
  test('go by the UID where another dataset has the name', () => {
    const plan = planOf();
    const other = { ...plan, dataset: { ...plan.dataset, collides: true } };
    expect(volumeOf(other).metadata.name).toBe('uid-of-dataset');
    expect(claimOf(other)).toMatchObject({ metadata: { name: 'demo' }, spec: { volumeName: 'uid-of-dataset' } });
  });
});

test('any other object of a runtime has its labels and its owner, and those of its role', () => {
  const plan = planOf();
  const config = rendered(plan, (chart) =>
    owned(chart, plan, 'fuse', { apiVersion: 'v1', kind: 'ConfigMap', name: 'demo-conf', labels: { extra: 'x' }, data: { a: 'b' } }),
  );
  expect(config).toMatchObject({
    metadata: {
      name: 'demo-conf',
      namespace: 'ml',
      labels: { role: 'thin-fuse', extra: 'x', 'data.fluid.io/owner-uid': 'uid-of-runtime' },
    },
    data: { a: 'b' },
  });
});
