import { describe, expect, test } from 'vitest';
import type { Container, PodSpec } from '../../../src/api/index.ts';
import type { Pod } from '../../../src/webhook/pod.ts';
import { images, inject, joined, reader } from './fixture.ts';

const DIRECTORY = '/runtime-mnt/juicefs/ml/images/app-000000000000';
const legacy = { nativeSidecars: false };
const names = (named: readonly { readonly name: string }[] | undefined) => named?.map(({ name }) => name);
const find = ({ spec }: Pod, name: string): Container =>
  [...(spec.initContainers ?? []), ...spec.containers].find((container) => container.name === name) as Container;
const mountsOf = (pod: Pod) => find(pod, 'main').volumeMounts?.filter(({ name }) => name === 'view') ?? [];
const pathOf = ({ spec }: Pod, volume: string) => spec.volumes?.find(({ name }) => name === volume)?.hostPath?.path;

/** Dataset `ml/view` refers to a directory of `<namespace>/images`. */
function referring(namespace: string, fuse: Partial<PodSpec> = {}, claim: object = {}) {
  const source = images('images', fuse);
  const { 'ml-images': volume } = source.volumes;
  const moved = (record: object) =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => [
        key.replace(/^ml(?=[/-])/, namespace),
        JSON.parse(JSON.stringify(value).replaceAll('"namespace":"ml"', `"namespace":"${namespace}"`)),
      ]),
    );
  const view = { identity: { namespace: 'ml', name: 'view', uid: 'uid-view', collides: false }, phase: 'Bound' };
  return joined(
    {
      ...source,
      claims: moved(source.claims),
      datasets: moved(source.datasets),
      fuses: moved(source.fuses),
      volumes: moved(source.volumes),
    } as typeof source,
    {
      claims: { 'ml/view': { dataset: 'view', ...claim } },
      datasets: { 'ml/view': { ...view, runtime: { type: 'thin', namespace: 'ml', name: 'view' } } },
      runtimes: {},
      fuses: {},
      volumes: {
        'ml-view': { ...volume!, subPath: 'train', runtime: { namespace, name: 'images' }, claim: { namespace: 'ml', name: 'view' } },
      },
    },
  );
}
const ALONE: Partial<PodSpec> = {
  containers: [
    {
      name: 'c',
      image: 'i',
      volumeMounts: [{ name: 'm', mountPath: '/runtime-mnt/juicefs/ml/images', mountPropagation: 'Bidirectional' }],
    },
  ],
  volumes: [{ name: 'm', hostPath: { path: '/runtime-mnt/juicefs/ml/images' } }],
};

describe('a pod that reads a Dataset which refers to another', () => {
  test('gets the client of that one, and sees the directory to which the Dataset refers', () => {
    const pod = inject(reader(['view']), referring('ml'));
    expect(find(pod, 'fluid-fuse-0').command).toEqual(expect.arrayContaining(['sh', '/root/script/script.sh']));
    expect(pathOf(pod, 'view')).toBe(`${DIRECTORY}/juicefs-fuse`);
    expect(mountsOf(pod)).toEqual([{ name: 'view', mountPath: '/view', subPath: 'train', mountPropagation: 'HostToContainer' }]);
    expect(pod.metadata.labels).toMatchObject({ 'dataset-name.sidecar.fluid.io/fluid-fuse-0': 'view' });
  });
  test.each([
    [{ subPath: 'a' }, { subPath: 'train/a' }],
    [{ subPathExpr: '$(POD)' }, { subPathExpr: 'train/$(POD)' }],
  ])('sees what it asks for of that directory: %j', (asked, got) => {
    const [main] = reader(['view']).spec.containers;
    const volumeMounts = [{ name: 'view', mountPath: '/view', ...asked }];
    const pod = inject(reader(['view'], { containers: [{ ...main, volumeMounts }] as Container[] }), referring('ml'));
    expect(mountsOf(pod)).toEqual([{ name: 'view', mountPath: '/view', ...got, mountPropagation: 'HostToContainer' }]);
  });
  test('sees a directory whose name looks like a variable', () => {
    const cluster = referring('ml');
    const volumes = { ...cluster.volumes, 'ml-view': { ...cluster.volumes['ml-view']!, subPath: 'a$(POD)$$b' } };
    const [main] = reader(['view']).spec.containers;
    const volumeMounts = [{ name: 'view', mountPath: '/view', subPathExpr: '$(POD)' }];
    const pod = inject(reader(['view'], { containers: [{ ...main, volumeMounts }] as Container[] }), { ...cluster, volumes });
    expect(mountsOf(pod)[0]?.subPathExpr).toBe('a$$(POD)$$$$b/$(POD)');
  });
  test('gets a client of another namespace only if the client needs no objects of that one, whose names are not said', () => {
    expect(find(inject(reader(['view']), referring('other', ALONE)), 'fluid-fuse-0').image).toBe('i');
    const denied = () => inject(reader(['view']), referring('other'));
    expect(denied).toThrow('it reads ConfigMaps or Secrets of namespace other, to which the Dataset refers');
    expect(denied).not.toThrow('images-fuse-script');
  });
  test('is denied once the owner of that one no longer allows it: the claim is being deleted', () => {
    expect(() => inject(reader(['view']), referring('ml', {}, { isBeingDeleted: true }))).toThrow(
      'Dataset ml/view: expected its claim to stay, found it being deleted',
    );
  });
});

describe('a pod that reads a Dataset', () => {
  const pod = inject(reader(['images']), images());

  test('has its client as a restartable init container, which is started when the file system is mounted', () => {
    expect(names(pod.spec.initContainers)).toEqual(['fluid-fuse-0']);
    expect(find(pod, 'fluid-fuse-0')).toMatchObject({
      restartPolicy: 'Always',
      command: expect.arrayContaining(['sh', '/root/script/script.sh']),
      startupProbe: {
        exec: { command: expect.arrayContaining(['/runtime-mnt/juicefs/ml/images/juicefs-fuse', '/app-000000000000/juicefs-fuse']) },
      },
    });
    expect(find(pod, 'fluid-fuse-0').lifecycle?.postStart).toBeUndefined();
  });
  test('reads the directory on the host where that client mounts, which is its own', () => {
    expect(pathOf(pod, 'images')).toBe(`${DIRECTORY}/juicefs-fuse`);
    expect(pathOf(pod, 'juicefs-fuse-mount-0')).toBe(DIRECTORY);
    expect(find(pod, 'main').volumeMounts).toEqual([{ name: 'images', mountPath: '/images', mountPropagation: 'HostToContainer' }]);
    const other = inject(reader(['images'], {}, { name: 'other' }), images());
    expect(pathOf(other, 'images')).not.toBe(pathOf(pod, 'images'));
  });
  test('gets volumes that the client mounts, but for caches', () => {
    expect(names(pod.spec.volumes)).toEqual(['images', 'juicefs-fuse-mount-0', 'script-0', 'fluid-mounts-0']);
    const kept = inject(reader(['images'], {}, { labels: { 'cachedir.sidecar.fluid.io/inject': 'true' } }), images());
    expect(names(kept.spec.volumes)).toContain('cache-dir-0-0');
  });
  test('unmounts at its end and removes the directory', () => {
    const stop = find(pod, 'fluid-fuse-0').lifecycle?.preStop?.exec?.command ?? [];
    expect(stop.slice(-2)).toEqual(['/fluid-mounts', 'app-000000000000/juicefs-fuse']);
    expect(pathOf(pod, 'fluid-mounts-0')).toBe('/runtime-mnt/juicefs/ml/images');
  });
  test('takes no port of the node', () => {
    expect(find(pod, 'fluid-fuse-0').ports).toEqual([{ name: 'metrics', containerPort: 14_002 }]);
  });
  test('says what was done', () => {
    expect(pod.metadata.labels).toMatchObject({
      'done.sidecar.fluid.io/inject': 'true',
      'fluid.io/managed-by': 'fluid',
      'dataset-name.sidecar.fluid.io/fluid-fuse-0': 'images',
      'dataset-namespace.sidecar.fluid.io/fluid-fuse-0': 'ml',
    });
    expect(pod.metadata.annotations).toEqual({ 'fluid.io/datasets-in-use': 'images' });
  });
  test('is not changed again', () => {
    expect(inject(pod, images())).toBe(pod);
  });
  test('gets its client as an ordinary container without native sidecars, which waits in a hook', () => {
    const before = inject(reader(['images']), images(), legacy);
    expect(names(before.spec.containers)).toEqual(['fluid-fuse-0', 'main']);
    expect(before.spec.initContainers).toBeUndefined();
    expect(find(before, 'fluid-fuse-0').lifecycle?.postStart?.exec?.command).toContain('/runtime-mnt/juicefs/ml/images/juicefs-fuse');
    expect(find(before, 'fluid-fuse-0').startupProbe).toBeUndefined();
  });
  test('may read early, in an init container, with native sidecars only', () => {
    const initContainers = [{ name: 'early', image: 'busybox', volumeMounts: [{ name: 'images', mountPath: '/images' }] }];
    const early = inject(reader(['images'], { initContainers }), images());
    expect(names(early.spec.initContainers)).toEqual(['fluid-fuse-0', 'early']);
    expect(find(early, 'early').volumeMounts?.[0]).toMatchObject({ mountPropagation: 'HostToContainer' });
    expect(() => inject(reader(['images'], { initContainers }), images(), legacy)).toThrow('init container early reads Dataset ml/images');
  });
  test('keeps a claim read-only', () => {
    const volumes = [{ name: 'images', persistentVolumeClaim: { claimName: 'images', readOnly: true } }];
    expect(find(inject(reader(['images'], { volumes }), images()), 'main').volumeMounts?.[0]).toMatchObject({ readOnly: true });
  });
  test('does not lend its user to the client', () => {
    const securityContext = { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000 };
    expect(find(inject(reader(['images'], { securityContext }), images()), 'fluid-fuse-0').securityContext).toEqual({
      privileged: true,
      runAsUser: 0,
      runAsGroup: 0,
      runAsNonRoot: false,
    });
  });
});

describe('several Datasets', () => {
  const two = joined(images('images'), images('models'));

  test('have a client each, and a directory each', () => {
    const pod = inject(reader(['images', 'models']), two);
    expect(names(pod.spec.initContainers)).toEqual(['fluid-fuse-1', 'fluid-fuse-0']);
    expect(pathOf(pod, 'models')).toBe('/runtime-mnt/juicefs/ml/models/app-111111111111/juicefs-fuse');
    expect(pod.metadata.annotations).toEqual({ 'fluid.io/datasets-in-use': 'images,models' });
    const all = [...(names(pod.spec.volumes) ?? []), ...(names(pod.spec.initContainers) ?? [])];
    expect(new Set(all).size).toBe(all.length);
  });
  test('may use one another: the client that is used starts first', () => {
    const on = images('models', {
      volumes: [
        { name: 'juicefs-fuse-mount', hostPath: { path: '/runtime-mnt/juicefs/ml/models' } },
        { name: 'script', persistentVolumeClaim: { claimName: 'images' } },
      ],
    });
    const pod = inject(reader(['models']), joined(images('images'), on));
    expect(names(pod.spec.initContainers)).toEqual(['fluid-fuse-1', 'fluid-fuse-0']);
    expect(pathOf(pod, 'script-0')).toBe('/runtime-mnt/juicefs/ml/images/app-111111111111/juicefs-fuse');
  });
  test('that use one another in a circle are denied', () => {
    const circle = images('images', {
      volumes: [
        { name: 'juicefs-fuse-mount', hostPath: { path: '/runtime-mnt/juicefs/ml/images' } },
        { name: 'script', persistentVolumeClaim: { claimName: 'images' } },
      ],
    });
    expect(() => inject(reader(['images']), circle)).toThrow('expected at most 64 sidecars, found more: ml/images and others');
  });
});

describe('the rest of the fuse pod', () => {
  const spec = images().fuses['ml/images']?.template.spec;
  const [client] = spec?.containers ?? [];
  const more = images('images', {
    containers: [client as Container, { name: 'exporter', image: 'exporter', volumeMounts: [{ name: 'unused', mountPath: '/x' }] }],
    initContainers: [{ name: 'prepare', image: 'prepare', volumeMounts: [{ name: 'script', mountPath: '/s' }] }],
    imagePullSecrets: [{ name: 'registry' }],
  });

  test('comes along: init containers before the client, other containers beside it, and pull secrets', () => {
    const pod = inject(reader(['images'], { imagePullSecrets: [{ name: 'own' }] }), more);
    expect(names(pod.spec.initContainers)).toEqual(['fluid-fuse-0-prepare', 'fluid-fuse-0', 'fluid-fuse-0-exporter']);
    expect(find(pod, 'fluid-fuse-0-prepare').restartPolicy).toBeUndefined();
    expect(names(pod.spec.volumes)).toContain('unused-0');
    expect(pod.spec.imagePullSecrets).toEqual([{ name: 'own' }, { name: 'registry' }]);
  });
});

describe('an unprivileged client', () => {
  test('has no privilege, device or mount of the host', () => {
    const pod = inject(reader(['images'], {}, { labels: { 'unprivileged.sidecar.fluid.io/inject': 'true' } }), images());
    expect(find(pod, 'fluid-fuse-0').securityContext).toEqual({ privileged: false, runAsUser: 0 });
    expect(names(pod.spec.volumes)).toEqual(['images', 'script-0']);
  });
});

describe('a pod is denied', () => {
  const cluster = images();
  const dataset = cluster.datasets['ml/images'] ?? expect.fail();

  test('while its Dataset is not bound, with the reason; unless it skips that check', () => {
    const unbound = { ...cluster, datasets: { 'ml/images': { ...dataset, phase: 'NotBound', notReady: 'no Secret ml/jfs' } } };
    expect(() => inject(reader(['images']), unbound)).toThrow(
      expect.objectContaining({
        message: 'Dataset ml/images: expected it to be bound, found phase NotBound: no Secret ml/jfs',
        unknown: [{ kind: 'dataset', namespace: 'ml', name: 'images' }],
      }),
    );
    const skips = reader(['images'], {}, { annotations: { 'sidecar.fluid.io/skip-precheck': 'true' } });
    expect(names(inject(skips, unbound).spec.initContainers)).toEqual(['fluid-fuse-0']);
  });
  test('if its Dataset is being deleted, which waits for pods that read it', () => {
    const deleting = { ...cluster, datasets: { 'ml/images': { ...dataset, isBeingDeleted: true as const } } };
    expect(() => inject(reader(['images']), deleting)).toThrow('Dataset ml/images: expected it to stay, found it being deleted');
  });
  test('if a label about privilege says neither true nor false', () => {
    const unclear = reader(['images'], {}, { labels: { 'unprivileged.sidecar.fluid.io/inject': 'yes' } });
    expect(() => inject(unclear, cluster)).toThrow(
      'metadata.labels[unprivileged.sidecar.fluid.io/inject]: expected true or false, found "yes"',
    );
  });
  test('if its client cannot be a sidecar', () => {
    const refused = images('images', {}, { caches: [], refused: 'it needs its node' } as never);
    expect(() => inject(reader(['images']), refused)).toThrow('its client cannot be a sidecar: it needs its node');
  });
  test('if the volume belongs to another claim', () => {
    const volume = cluster.volumes['ml-images'] ?? expect.fail();
    const foreign = { ...cluster, volumes: { 'ml-images': { ...volume, claim: { namespace: 'other', name: 'images' } } } };
    expect(() => inject(reader(['images']), foreign)).toThrow('found one of another claim');
  });
});

test('a name that is no name stays within the directory of the Dataset', () => {
  const pod = inject(reader(['images'], {}, { name: '../../etc' }), images());
  expect(pathOf(pod, 'images')).toBe('/runtime-mnt/juicefs/ml/images/------etc-000000000000/juicefs-fuse');
});
test('containers that ask for it wait in a hook of their own', () => {
  const asked = reader(['images'], {}, { labels: { 'app.poststart.fluid.io/inject': 'true' } });
  const hook = find(inject(asked, images(), legacy), 'main').lifecycle?.postStart?.exec?.command ?? [];
  expect(hook.slice(-4)).toEqual(['/images', '/app-000000000000', '/images', '']);
});
test('containers wait for a sub path of two names, too: the root of its mount ends in the same names', () => {
  const cluster = images();
  const volume = cluster.volumes['ml-images'] ?? expect.fail();
  const nested = { ...cluster, volumes: { 'ml-images': { ...volume, subPath: 'a/b' } } };
  const asked = reader(['images'], {}, { labels: { 'app.poststart.fluid.io/inject': 'true' } });
  const pod = inject(asked, nested);
  expect(pathOf(pod, 'images')).toBe(`${DIRECTORY}/juicefs-fuse`);
  expect(find(pod, 'main').lifecycle?.postStart?.exec?.command?.slice(-3)[0]).toBe('/app-000000000000');
});
test('the claim that a Dataset caches is left as it is: whoever mounts it wants the storage itself', () => {
  const cluster = { ...images(), claims: { 'ml/source': { dataset: 'images' }, 'ml/lost': { dataset: 'deleted' } } };
  const pod = inject(reader(['source', 'lost']), cluster);
  expect(pod.spec).toEqual(reader(['source', 'lost']).spec);
  expect(pod.metadata.labels).not.toHaveProperty(['done.sidecar.fluid.io/inject']);
});

describe('a pod stays valid', () => {
  const [client] = images().fuses['ml/images']?.template.spec?.containers ?? [];
  const withClient = (container: Partial<Container>, more: Partial<PodSpec> = {}) =>
    images('images', { containers: [{ ...(client as Container), ...container }], ...more });
  const main = (more: Partial<Container>) => ({ containers: [{ ...reader(['images']).spec.containers[0], ...more }] as Container[] });

  test('with a mount that is recursively read-only if possible; one that has to be is denied', () => {
    const mount = { name: 'images', mountPath: '/images', readOnly: true };
    const possible = main({ volumeMounts: [{ ...mount, recursiveReadOnly: 'IfPossible' }] });
    expect(find(inject(reader(['images'], possible), images()), 'main').volumeMounts).toEqual([
      { ...mount, mountPropagation: 'HostToContainer' },
    ]);
    const enabled = main({ volumeMounts: [{ ...mount, recursiveReadOnly: 'Enabled' }] });
    expect(() => inject(reader(['images'], enabled), images())).toThrow(
      'container main: volumeMounts[images].recursiveReadOnly: expected IfPossible or Disabled',
    );
  });
  test('with resources of the whole pod, which grow by those of the client', () => {
    const resources = { requests: { cpu: '50m', memory: '32Mi' }, limits: { cpu: '1' } };
    const grown = inject(
      reader(['images'], { resources }),
      withClient({ resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2' } } }),
    );
    expect(grown.spec.resources).toEqual({ requests: { cpu: '1050m', memory: '1107296256' }, limits: { cpu: '3' } });
    expect(inject(reader(['images']), images()).spec.resources).toBeUndefined();
  });
  test('on the network of its node, where the client opens no port', () => {
    expect(find(inject(reader(['images'], { hostNetwork: true }), images()), 'fluid-fuse-0').ports).toBeUndefined();
  });
  test('without ports for Prometheus, if they are all that the client has', () => {
    const ports = [{ name: 'jindo-metrics', containerPort: 10_001 }];
    expect(find(inject(reader(['images']), withClient({ ports })), 'fluid-fuse-0').ports).toBeUndefined();
  });
  test('with volumes that the client uses as devices, and with its own volume and path called fluid-mounts', () => {
    const pod = inject(
      reader(['images']),
      withClient(
        {
          volumeMounts: [...(client?.volumeMounts ?? []), { name: 'fluid-mounts', mountPath: '/fluid-mounts' }],
          volumeDevices: [{ name: 'disk', devicePath: '/dev/x' }],
        },
        {
          volumes: [
            ...(images().fuses['ml/images']?.template.spec?.volumes ?? []),
            { name: 'fluid-mounts', emptyDir: {} },
            { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } },
          ],
        },
      ),
    );
    const { volumeMounts = [], volumeDevices } = find(pod, 'fluid-fuse-0');
    expect(volumeDevices).toEqual([{ name: 'disk-0', devicePath: '/dev/x' }]);
    expect(names(pod.spec.volumes)).toContain('disk-0');
    for (const each of [volumeMounts.map(({ mountPath }) => mountPath), names(pod.spec.volumes) ?? []])
      expect(new Set(each).size).toBe(each.length);
  });
  test('with a client that resizes by a restart, which not every pod allows', () => {
    const resizing = withClient({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] });
    expect(find(inject(reader(['images']), resizing), 'fluid-fuse-0').resizePolicy).toBeUndefined();
  });
  test('without privilege, whatever the client had of it', () => {
    const privileged = withClient(
      {
        securityContext: { privileged: true, capabilities: { add: ['CAP_SYS_ADMIN', 'ALL', 'NET_ADMIN'] } },
        volumeMounts: [...(client?.volumeMounts ?? []), { name: 'other', mountPath: '/other', mountPropagation: 'Bidirectional' }],
      },
      { volumes: [...(images().fuses['ml/images']?.template.spec?.volumes ?? []), { name: 'other', hostPath: { path: '/other' } }] },
    );
    const found = find(
      inject(reader(['images'], {}, { labels: { 'unprivileged.sidecar.fluid.io/inject': 'true' } }), privileged),
      'fluid-fuse-0',
    );
    expect(found.securityContext).toEqual({ privileged: false, capabilities: { add: ['NET_ADMIN'] } });
    expect(found.volumeMounts?.map(({ mountPropagation }) => mountPropagation)).toEqual([undefined, undefined]);
  });
  test.each<[string, Partial<PodSpec>, string]>([
    ['of Windows', { os: { name: 'windows' } }, 'spec.os.name: expected linux'],
    [
      'that reads a Dataset as a device',
      main({ volumeDevices: [{ name: 'images', devicePath: '/d' }] }),
      'container main: volumeDevices: expected no Dataset',
    ],
  ])('or is denied: a pod %s', (_, more, message) => {
    expect(() => inject(reader(['images'], more), images())).toThrow(message);
  });
});

test('without native sidecars kubectl logs shows the first container of the user', () => {
  const annotation = 'kubectl.kubernetes.io/default-container';
  expect(inject(reader(['images']), images(), legacy).metadata.annotations).toMatchObject({ [annotation]: 'main' });
  expect(inject(reader(['images']), images()).metadata.annotations).not.toHaveProperty([annotation]);
  const chosen = reader(['images'], {}, { annotations: { [annotation]: 'other' } });
  expect(inject(chosen, images(), legacy).metadata.annotations).toMatchObject({ [annotation]: 'other' });
});
