import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import thin from '../../../runtimes/thin/index.ts';
import type { ThinPlan } from '../../../runtimes/thin/plan.ts';
import { type ThinFuseSpec, type ThinRuntimeProfileSpec, type ThinRuntimeSpec } from '../../../src/api/index.ts';
import { base64, type RuntimeInput } from '../../../src/constructs/index.ts';
import { claim, given, profileSpec, secretOption } from './given.ts';

const plan = (input: RuntimeInput<ThinRuntimeSpec>) => thin.bind(input).plan as ThinPlan;
/** A profile with these fuse fields, a runtime with those. */
const both = (theirs: ThinFuseSpec, own: ThinFuseSpec = {}) =>
  given({ profile: { fileSystemType: 'fuse.x', fuse: { image: 'i', ...theirs } }, spec: { fuse: own } });
const fuse = (theirs: ThinFuseSpec, own: ThinFuseSpec = {}) => plan(both(theirs, own)).fusePod;
const env = (input: RuntimeInput<ThinRuntimeSpec>) => Object.fromEntries(plan(input).fusePod.env.map(({ name, value }) => [name, value]));

describe('runtime over profile', () => {
  test.each<[string, ThinFuseSpec, ThinFuseSpec, Partial<ThinFuseSpec>]>([
    [
      'takes each part of the image from the runtime first',
      { image: 'a', imageTag: '1', imagePullPolicy: 'Always' },
      { image: '', imageTag: '2' },
      { image: 'a', imageTag: '2', imagePullPolicy: 'Always' },
    ],
    ['replaces command and args', { command: ['a'], args: ['b'] }, { command: ['c'], args: [] }, { command: ['c'], args: ['b'] }],
    [
      'adds env',
      { env: [{ name: 'A' }] },
      { env: [{ name: 'B' }] },
      { env: [{ name: 'A' }, { name: 'B' }, expect.objectContaining({ name: 'MOUNT_POINT' }), expect.anything()] },
    ],
    [
      'adds ports',
      { ports: [{ containerPort: 1 }] },
      { ports: [{ containerPort: 2 }] },
      { ports: [{ containerPort: 1 }, { containerPort: 2 }] },
    ],
    [
      'takes the node selector of the runtime alone',
      { nodeSelector: { a: '1', b: '1' } },
      { nodeSelector: { b: '2' } },
      { nodeSelector: { b: '2' } },
    ],
    ['takes no node selector of the profile', { nodeSelector: { a: '1' } }, {}, { nodeSelector: {} }],
    [
      'merges resources by name',
      { resources: { limits: { cpu: '1', memory: '1Gi' } } },
      { resources: { limits: { cpu: '2' } } },
      { resources: { limits: { cpu: '2', memory: '1Gi' }, requests: {} } },
    ],
    [
      'replaces a whole probe',
      { livenessProbe: { exec: { command: ['a'] } } },
      { livenessProbe: { tcpSocket: { port: 1 } } },
      { livenessProbe: { tcpSocket: { port: 1 } } },
    ],
    [
      'merges labels and annotations',
      { podMetadata: { labels: { a: '1', b: '1' } } },
      { podMetadata: { labels: { b: '2' }, annotations: { c: '3' } } },
      { podMetadata: { labels: { a: '1', b: '2' }, annotations: { c: '3' } } },
    ],
    [
      'takes the network of the profile where the runtime has none',
      { networkMode: 'ContainerNetwork' },
      { networkMode: '' },
      { networkMode: 'ContainerNetwork' },
    ],
    [
      'lets the runtime go back to the network of the host',
      { networkMode: 'ContainerNetwork' },
      { networkMode: 'HostNetwork' },
      { networkMode: 'HostNetwork' },
    ],
    [
      'replaces the unmounting by a preStop of the profile',
      { lifecycle: { preStop: { exec: { command: ['a'] } } } },
      {},
      { lifecycle: { preStop: { exec: { command: ['a'] } } } },
    ],
    [
      'replaces that by one of the runtime',
      { lifecycle: { preStop: { exec: { command: ['a'] } } } },
      { lifecycle: { preStop: { sleep: { seconds: 1 } } } },
      { lifecycle: { preStop: { sleep: { seconds: 1 } } } },
    ],
  ])('%s', (_, theirs, own, expected) => expect(fuse(theirs, own)).toMatchObject(expected));

  test('unmounts before the pod stops, unless the spec has another preStop hook', () =>
    expect(fuse({}).lifecycle).toEqual({ preStop: { exec: { command: ['umount', '/runtime-mnt/thin/ml/demo/thin-fuse'] } } }));

  const lists = { fuse: [{ name: 'fuse' }], spec: [{ name: 'spec' }] };
  test.each([
    ['the fuse of both, before those of all pods', lists.fuse, lists.spec, ['theirs', 'fuse']],
    ['all pods of both', undefined, lists.spec, ['profile', 'spec']],
    ['the profile alone', undefined, undefined, ['profile']],
  ])('pulls with the Secrets of %s', (_, own, spec, expected) => {
    const fuse = { ...profileSpec.fuse, ...(own && { imagePullSecrets: [{ name: 'theirs' }] }) };
    const profile = { ...profileSpec, fuse, imagePullSecrets: [{ name: 'profile' }] };
    const input = given({ profile, spec: { ...(own && { fuse: { imagePullSecrets: own } }), ...(spec && { imagePullSecrets: spec }) } });
    expect(plan(input).fusePod.imagePullSecrets).toEqual(expected.map((name) => ({ name })));
  });

  test('has the first of two ports of one number of the profile, and names the other', () => {
    const ports = [
      { containerPort: 9100, name: 'a' },
      { containerPort: 9100, name: 'b' },
    ];
    const { fusePod, warnings } = plan(both({ ports }, {}));
    expect(fusePod.ports).toEqual(ports);
    expect(warnings?.map(({ message }) => message)).toEqual([
      `ThinRuntimeProfile p: spec.fuse.ports[1]: an earlier port is 9100/TCP already`,
    ]);
  });
  test('has the port of the runtime in place of the profile’s of its number', () =>
    expect(fuse({ ports: [{ containerPort: 1 }, { containerPort: 2 }] }, { ports: [{ containerPort: 1, name: 'own' }] }).ports).toEqual([
      { containerPort: 1, name: 'own' },
      { containerPort: 2 },
    ]));

  test('puts the volume where the fuse pods can be', () => {
    const { nodeSelector } = plan(both({ nodeSelector: { a: '1' } }, { nodeSelector: { b: '2' } })).fuse ?? {};
    expect(nodeSelector).toEqual({ b: '2' });
  });
  test('leaves the profile as it was', () => {
    const profile: ThinRuntimeProfileSpec = { fileSystemType: 'x', fuse: { image: 'i', options: { a: '1' } } };
    plan(given({ profile, spec: { fuse: { options: { a: '2' } } } }));
    expect(profile.fuse?.options).toEqual({ a: '1' });
  });
});

describe('MOUNT_OPTIONS', () => {
  test.each<[string, string | undefined, ThinFuseSpec, ThinFuseSpec, ('ReadOnlyMany' | 'ReadWriteMany')[]]>([
    ['is ro for a dataset that is only read', 'ro', {}, {}, ['ReadOnlyMany']],
    ['is absent where there is nothing to say', undefined, {}, {}, ['ReadWriteMany']],
    ["adds the profile's to ro", 'allow_other,ro', { options: { allow_other: '' } }, {}, ['ReadOnlyMany']],
    [
      'lets the runtime win by key, in order',
      'a=2,b=1,c=3',
      { options: { b: '1', a: '1' } },
      { options: { c: '3', a: '2' } },
      ['ReadWriteMany'],
    ],
  ])('%s', (_, expected, theirs, own, accessModes) =>
    expect(
      env({ ...both(theirs, own), dataset: { ...given().dataset, spec: { accessModes, mounts: [{ mountPoint: 's3://a' }] } } })[
        'MOUNT_OPTIONS'
      ],
    ).toBe(expected),
  );
  test('comes after the env of users, who cannot change where the client mounts', () =>
    expect(env(both({}, { env: [{ name: 'MOUNT_POINT', value: '/etc' }] }))['MOUNT_POINT']).toBe('/runtime-mnt/thin/ml/demo/thin-fuse'));
  test('reads back as the same options, where none holds what separates them', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[^,=]+$/), fc.stringMatching(/^[^,]*$/)), (options) => {
        const input = { ...both({}, { options }), dataset: { ...given().dataset, spec: { accessModes: ['ReadWriteMany' as const] } } };
        const list = env(input)['MOUNT_OPTIONS'] ?? '';
        const read = list === '' ? [] : list.split(',').map((option) => [option.split('=')[0], option.split('=').slice(1).join('=')]);
        expect(Object.fromEntries(read)).toEqual({ ...options });
        expect(plan(input).warnings).toEqual([]);
      }),
    ));
});

const mounted = (input: RuntimeInput<ThinRuntimeSpec>) =>
  plan(input).fusePod.mounted.map(({ volume, mount }) => [volume.name, mount.mountPath, mount.readOnly ?? false]);

describe('volumes', () => {
  const conf = [
    ['thin-conf', '/etc/fluid/config', true],
    ['thin-conf', '/etc/fluid/config.json', true],
  ];

  test('leaves the old place of config.json to a user who has something there', () => {
    const spec = { volumes: [{ name: 'v', emptyDir: {} }], fuse: { volumeMounts: [{ name: 'v', mountPath: '/etc/fluid/config.json' }] } };
    expect(mounted(given({ spec }))).toEqual([conf[0], ['v', '/etc/fluid/config.json', false]]);
  });
  test('mounts each Secret once, as files', () =>
    expect(
      mounted(
        given({
          dataset: { sharedEncryptOptions: [secretOption('a', 's', 'k')] },
          mounts: [{ mountPoint: 's3://a', encryptOptions: [secretOption('b', 's', 'l'), secretOption('c', 't', 'k')] }],
        }),
      ),
    ).toEqual([...conf, ['thin-fuseconfig-s', '/etc/fluid/secrets/s', true], ['thin-fuseconfig-t', '/etc/fluid/secrets/t', true]]));
  test('mounts shared Secrets where there are no mounts', () =>
    expect(mounted(given({ mounts: [], dataset: { sharedEncryptOptions: [secretOption('a', 's', 'k')] } }))).toContainEqual([
      'thin-fuseconfig-s',
      '/etc/fluid/secrets/s',
      true,
    ]));
  test.each<[string, string, string, boolean, ('ReadOnlyMany' | 'ReadWriteMany')[]]>([
    ['where it is on the node', '/data', '/data', true, ['ReadOnlyMany']],
    ['elsewhere', '/data:/cache', '/cache', false, ['ReadWriteMany']],
  ])('mounts a directory of the node %s', (_, option, mountPath, readOnly, accessModes) => {
    const mounts = [{ mountPoint: 's3://a', options: { 'fluid.fuse.hostvolume': option } }];
    const [, , { volume, mount } = {}] = plan(given({ mounts, dataset: { accessModes } })).fusePod.mounted;
    expect(volume).toEqual({ name: 'fluid-fuse-hostvolume-0', hostPath: { path: '/data' } });
    expect({ ...mount, readOnly: mount?.readOnly ?? false }).toEqual({ name: 'fluid-fuse-hostvolume-0', mountPath, readOnly });
  });
  test.each(['data', '/a/../b', '/a:b', '/a:/b:/c'])('leaves %s out as a directory of the node, and says so', (option) => {
    const { fusePod, warnings } = plan(given({ mounts: [{ mountPoint: 's3://a', options: { 'fluid.fuse.hostvolume': option } }] }));
    expect(fusePod.mounted.filter(({ volume }) => volume.hostPath)).toEqual([]);
    expect(warnings?.map(({ message }) => message)).toEqual([
      'Dataset: spec.mounts[0].options[fluid.fuse.hostvolume]: expected one or two absolute paths without "..", separated by ":"; it is not mounted',
    ]);
  });
  test('counts the directories of the node that are asked for, and has them read-only where the Dataset says so itself', () => {
    const mounts = ['', '/a', '/b', '/a'].map((option, i) => ({
      mountPoint: `s3://${i}`,
      name: `n${i}`,
      options: { 'fluid.fuse.hostvolume': option },
    }));
    const volumes = plan(given({ mounts })).fusePod.mounted.filter(({ volume }) => volume.hostPath);
    expect(volumes.map(({ mount }) => mount)).toEqual([
      { name: 'fluid-fuse-hostvolume-0', mountPath: '/a' },
      { name: 'fluid-fuse-hostvolume-1', mountPath: '/b' },
    ]);
  });
  test('finds a volume of the runtime, then one of the profile', () => {
    const profile = {
      ...profileSpec,
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'w', emptyDir: {} },
      ],
    };
    const spec = {
      volumes: [{ name: 'v', configMap: { name: 'c' } }],
      fuse: {
        volumeMounts: [
          { name: 'v', mountPath: '/v' },
          { name: 'w', mountPath: '/w' },
        ],
      },
    };
    expect(
      plan(given({ profile, spec }))
        .fusePod.mounted.map(({ volume }) => volume)
        .slice(2),
    ).toEqual([
      { name: 'v', configMap: { name: 'c' } },
      { name: 'w', emptyDir: {} },
    ]);
  });
  test('leaves out what mounts a volume that does not exist, and reports it', () => {
    const { fusePod, warnings } = plan(given({ spec: { fuse: { volumeMounts: [{ name: 'x', mountPath: '/x' }] } } }));
    expect(fusePod.mounted.map(({ mount }) => mount.mountPath)).not.toContain('/x');
    expect(warnings?.map(({ message }) => message)).toEqual(['spec.fuse.volumeMounts[0]: no volume is called "x", so it is not mounted']);
  });
  test('says that the node selector of a profile does not count', () =>
    expect(plan(both({ nodeSelector: { a: '1' } }, {})).warnings?.map(({ message }) => message)).toEqual([
      'ThinRuntimeProfile p: spec.fuse.nodeSelector: write it into spec.fuse.nodeSelector of the ThinRuntime, which alone counts',
    ]));
  test('warns of a clean policy that does not exist', () =>
    expect(plan(both({}, { cleanPolicy: 'OnDemnd' as 'OnDemand' })).warnings?.map(({ message }) => message)).toEqual([
      'spec.fuse.cleanPolicy: expected OnDemand, OnRuntimeDeleted or OnFuseChanged; fuse pods stay until the runtime is deleted',
    ]));
});

describe('a pvc:// mount', () => {
  const publish = { name: 'publish', namespace: 'storage' };
  const input = (policy: ThinRuntimeProfileSpec['nodePublishSecretPolicy'], more: object = {}) =>
    given({
      mounts: [{ mountPoint: 'pvc://c' }],
      profile: { ...profileSpec, ...(policy && { nodePublishSecretPolicy: policy }) },
      facts: { claims: { c: claim(publish) }, secrets: { 'storage/publish': { k: base64('v') } }, ...more },
    });
  test('needs the claim, then the Secret of its volume', () => {
    expect(thin.needs(input(undefined, { claims: {} }))).toMatchObject({ claims: ['c'], secrets: [] });
    expect(thin.needs(input(undefined)).secrets).toEqual([{ name: 'publish' }]);
    expect(thin.needs(input('CopyNodePublishSecretAndMountIfNotExists')).secrets).toEqual([{ ...publish, inline: true }]);
    expect(thin.needs(input('NotMountNodePublishSecret')).secrets).toEqual([]);
  });
  test.each([
    ['MountNodePublishSecretIfExists', 'publish'],
    ['CopyNodePublishSecretAndMountIfNotExists', 'demo-thin-publish-secret'],
  ] as const)('%s mounts %s in its place', (policy, secretName) =>
    expect(plan(input(policy)).fusePod.mounted.at(-1)).toEqual({
      volume: { name: 'publish', secret: { secretName } },
      mount: { name: 'publish', mountPath: '/etc/fluid/secrets/publish', readOnly: true },
    }),
  );
  test('copies the Secret as it is', () =>
    expect(plan(input('CopyNodePublishSecretAndMountIfNotExists')).secretCopy).toEqual({
      name: 'demo-thin-publish-secret',
      labels: { 'fluid.io/copied-from': 'storage_publish' },
      data: { k: base64('v') },
    }));
  test('never makes an empty copy', () =>
    expect(() => plan(input('CopyNodePublishSecretAndMountIfNotExists', { secrets: {} }))).toThrow(
      'expected Secret storage/publish, to copy it, found nothing',
    ));
  test('mounts a Secret once that holds options as well', () => {
    const mounts = [{ mountPoint: 'pvc://c', encryptOptions: [secretOption('o', 'publish', 'k')] }];
    expect(
      plan(given({ mounts, facts: { claims: { c: claim(publish) } } })).fusePod.mounted.filter(({ volume }) => volume.secret),
    ).toHaveLength(1);
  });
});

describe('refuses', () => {
  const { csi: _, ...local } = claim();
  test.each<[string, RuntimeInput<ThinRuntimeSpec>, string]>([
    [
      'a runtime without profile',
      given({ spec: { profileName: '' } }),
      'spec.profileName: expected the name of a ThinRuntimeProfile, since the Dataset refers to no other one, found nothing',
    ],
    [
      'a profile that does not exist',
      given({ spec: { profileName: 'other' } }),
      'spec.profileName: expected the name of a ThinRuntimeProfile, found "other"',
    ],
    [
      'a dataset that refers to another',
      given({ mounts: [{ mountPoint: 'dataset://ml/other' }] }),
      'spec.profileName: expected none, since the Dataset refers to another one, found "p"',
    ],
    [
      'no image',
      given({ profile: { fileSystemType: 'x', fuse: { imageTag: 'v1' } } }),
      'spec.fuse.image: expected an image, here or in profile p, found nothing',
    ],
    ['a worker with no image', given({ spec: { worker: { enabled: true } } }), 'spec.worker.image: expected an image'],
    [
      'a hook after the start',
      both({ lifecycle: { postStart: { exec: { command: ['x'] } } } }),
      'spec.fuse.lifecycle.postStart: expected none',
    ],
    [
      'a path in a claim',
      given({ mounts: [{ mountPoint: 'pvc://c/sub' }] }),
      'spec.mounts[0].mountPoint: expected pvc://<claim>, with no path after it, found "pvc://c/sub"',
    ],
    [
      'a second claim',
      given({ mounts: [{ mountPoint: 'pvc://c' }, { mountPoint: 'pvc://d' }], facts: { claims: { c: claim(), d: claim() } } }),
      'spec.mounts[1].mountPoint: expected one claim at most',
    ],
    ['a claim that is not bound', given({ mounts: [{ mountPoint: 'pvc://c' }] }), 'expected a bound claim'],
    [
      'a volume that is not of CSI',
      given({ mounts: [{ mountPoint: 'pvc://c' }], facts: { claims: { c: local } } }),
      'expected a claim whose volume is of CSI, found volume pv-of-claim of another kind',
    ],
    [
      'an option without Secret',
      given({ mounts: [{ mountPoint: 's3://a', encryptOptions: [{ name: 'a' }] }] }),
      'spec.mounts[0].encryptOptions[0].valueFrom.secretKeyRef',
    ],
    [
      'a cache that is no path',
      given({ spec: { tieredstore: { levels: [{ mediumtype: 'MEM', path: 'shm' }] } } }),
      'spec.tieredstore.levels[0].path',
    ],
  ])('%s', (_, input, message) => expect(() => plan(input)).toThrow(message));

  test('every mount that is named or placed like another, at once', () => {
    const mounts = [
      { mountPoint: 's3://a', name: 'same', path: '/p' },
      { mountPoint: 's3://b', name: 'same', path: '/p' },
      { mountPoint: 's3://c' },
      { mountPoint: 's3://d' },
    ];
    expect(() => plan(given({ mounts }))).toThrow(
      expect.objectContaining({
        object: 'Dataset ml/demo',
        reason: 'ErrorValidateSpecFields',
        faults: [
          expect.objectContaining({ path: 'spec.mounts[1].name', found: '"same"' }),
          expect.objectContaining({ path: 'spec.mounts[1].path', found: '"/p"' }),
        ],
      }),
    );
  });
});

const withWorker = { ...profileSpec, worker: { image: 'w', env: [{ name: 'A' }], nodeSelector: { a: '1' } } };
const replicas = (spec: ThinRuntimeSpec) => plan(given({ profile: withWorker, spec: { ...spec, worker: { enabled: true } } })).replicas;

describe('workers', () => {
  test('are there only when the runtime wants them', () => {
    expect(thin.bind(given({ profile: { ...withWorker, worker: { ...withWorker.worker, enabled: true } } })).roles).toEqual(['fuse']);
    expect(thin.bind(given({ profile: withWorker, spec: { worker: { enabled: true } } })).roles).toEqual(['fuse', 'worker']);
  });
  test('are as many as spec.replicas, one by default', () => {
    expect(replicas({})).toEqual({ worker: 1 });
    expect(replicas({ replicas: 0 })).toEqual({ worker: 0 });
  });
  test('cache in the first tier, and label nodes with the size of all', () => {
    const levels = [
      { mediumtype: 'MEM' as const, path: '/shm', quota: '1Gi' },
      { mediumtype: 'SSD' as const, path: '/a,/b', quotaList: '1Gi,2Gi' },
    ];
    const { worker: pod, cacheOnNode } = plan(
      given({ profile: withWorker, spec: { tieredstore: { levels }, worker: { enabled: true, env: [{ name: 'B' }] } } }),
    );
    expect(pod?.mounted.map(({ mount }) => mount.mountPath)).toEqual(['/shm']);
    expect(pod?.env).toEqual([{ name: 'A' }, { name: 'B' }]);
    expect(cacheOnNode).toEqual({ memory: 2 ** 30, disk: 3 * 2 ** 30 });
  });
});

describe('status', () => {
  test('makes running pods see a new config.json at once', () =>
    expect(plan(given()).config).toMatchObject({ name: 'demo-fuse-conf', roles: ['fuse'] }));
  test('knows nothing of the cache', () =>
    expect(thin.bind(given()).status({ readyWorkers: 1 }).cacheStates).toEqual({
      cacheCapacity: 'N/A',
      cacheHitRatio: 'N/A',
      cacheThroughputRatio: 'N/A',
      cached: 'N/A',
      cachedPercentage: 'N/A',
    }));
  test('measures the data only when asked to', () => {
    expect(thin.bind(given()).probes.ufs).toBeUndefined();
    expect(thin.bind(given({ spec: { management: { metadataSyncPolicy: { autoSync: true } } } })).probes.ufs).toBeDefined();
  });
});

describe('a profile with a mount template', () => {
  const text = 'program: s3fs\nargs: ["${mount.bucket}", "${targetPath}", -f]\n';
  const image = { settings: { image: 'example.io/sluice:v1' } };
  const templated = (template: string, more: Parameters<typeof given>[0] = image) =>
    given({ ...more, profileAnnotations: { 'data.fluid.io/mount-template': template } });
  test('has it beside config.json, a script made of it before the client starts, and the client run by that', () => {
    const { config, fusePod } = plan(templated(text));
    expect(config.data).toEqual({ 'config.json': expect.anything(), 'mount-template.yaml': text });
    expect(fusePod).toMatchObject({
      command: ['sh', '/etc/fluid/mount/mount.sh'],
      lifecycle: { preStop: { exec: { command: ['umount', '/runtime-mnt/thin/ml/demo/thin-fuse'] } } },
      initContainers: [
        {
          image: 'example.io/sluice:v1',
          args: [
            'fuse-config',
            '--template',
            '/etc/fluid/config/mount-template.yaml',
            '--output',
            'script',
            '--directory',
            '/etc/fluid/mount',
          ],
        },
      ],
    });
  });
  test('keeps a command of its own, which runs the script when it wants', () =>
    expect(
      plan(templated(text, { ...image, spec: { fuse: { command: ['sh', '-c', 'prepare && exec sh /etc/fluid/mount/mount.sh'] } } })).fusePod
        .command,
    ).toEqual(['sh', '-c', 'prepare && exec sh /etc/fluid/mount/mount.sh']));
  test('of several mounts unmounts nothing by a hook, since the script does', () =>
    expect(plan(templated(`${text}each: mounts\n`)).fusePod.lifecycle).toBeUndefined());
  test('that remounts has the script rewritten beside the client, which unmounts by itself', () => {
    const { initContainers = [], lifecycle } = plan(templated(`${text}onChange: remount\n`)).fusePod;
    const [writer, watcher, ...others] = initContainers;
    expect(watcher).toEqual({ ...writer, name: 'mount-watch', args: [...(writer?.args ?? []), '--watch'], restartPolicy: 'Always' });
    expect({ others, lifecycle }).toEqual({ others: [], lifecycle: undefined });
  });
  test('is in the Secret with config.json where that is kept there', () =>
    expect(plan(templated(text, { settings: { ...image.settings, env: { THIN_FUSE_CONFIG_STORAGE: 'secret' } } })).config).toMatchObject({
      kind: 'Secret',
      data: { 'mount-template.yaml': base64(text), 'secret-options.json': base64('[]') },
    }));
  test('is refused where the controller does not know its own image', () =>
    expect(() => plan(templated(text, {}))).toThrow(
      'ThinRuntimeProfile p: metadata.annotations["data.fluid.io/mount-template"]: expected Sluice\'s image in the variable SLUICE_IMAGE',
    ));
  test('is refused with everything that is wrong with it', () =>
    expect(() => plan(templated('program: s3fs\nargs: ["${mount.bukcet}"]\nenv: {1: x}'))).toThrow(
      /^ThinRuntimeProfile p: metadata\.annotations\["data\.fluid\.io\/mount-template"\]: env\.1: .*; args\[0\]: .*did you mean mount\.bucket/,
    ));
});
