import { describe, expect, test } from 'vitest';
import type { Container } from '../../../src/api/index.ts';
import type { Admission, DatasetUse } from '../../../src/webhook/admission.ts';
import { filePrefetcher } from '../../../src/webhook/plugins/file-prefetcher.ts';
import { fuseSidecar } from '../../../src/webhook/plugins/fuse-sidecar.ts';
import type { Pod } from '../../../src/webhook/pod.ts';
import { mutate } from '../../../src/webhook/mutate.ts';
import { knownOf } from '../known.ts';
import { images, joined, reader } from '../sidecar/fixture.ts';

const use = (claim: string): DatasetUse => ({
  claim,
  dataset: { identity: { namespace: 'ml', name: claim, uid: 'u', collides: false }, phase: 'Bound' },
});
type Annotations = Readonly<Record<string, string>>;
interface Given extends Partial<Pick<Admission, 'uses'>> {
  readonly settings?: Partial<Admission['settings']>;
  readonly mode?: Admission['injection']['mode'];
  readonly pod?: Partial<Pod['spec']>;
}
const fix = (annotations: Annotations): Annotations =>
  Object.fromEntries(Object.entries({ inject: 'true', ...annotations }).map(([key, value]) => [`file-prefetcher.fluid.io/${key}`, value]));

function prefetched(
  annotations: Annotations = {},
  { settings, mode = 'serverless', uses = [use('models'), use('images')], pod = {} }: Given = {},
) {
  const warnings: string[] = [];
  const before: Pod = {
    metadata: { name: 'app', annotations: fix(annotations) },
    spec: {
      containers: [{ name: 'main', image: 'busybox' }],
      initContainers: [{ name: 'prepare', image: 'busybox' }],
      volumes: [
        { name: 'z-models', persistentVolumeClaim: { claimName: 'models' } },
        { name: 'a-images', persistentVolumeClaim: { claimName: 'images' } },
        { name: 'scratch', persistentVolumeClaim: { claimName: 'scratch' } },
      ],
      ...pod,
    },
  };
  // Nothing else of it is looked at.
  const admission = {
    uses,
    injection: { mode },
    settings: { disabled: false, nativeSidecars: false, prefetcher: { image: 'sluice:1', isOurs: true }, ...settings },
    warn: (text: string) => void warnings.push(text),
  } as unknown as Admission;
  const after = filePrefetcher.configure(undefined)(before, admission);
  const all: readonly Container[] = [...(after.spec.initContainers ?? []), ...after.spec.containers];
  const container = all.find(({ name }) => name === 'fluid-file-prefetcher');
  const list = container?.env?.find(({ name }) => name === 'FILE_PREFETCHER_FILE_LIST')?.value;
  return {
    before,
    after,
    container,
    list,
    warnings,
    names: (kind: 'containers' | 'initContainers') => after.spec[kind]?.map(({ name }) => name),
  };
}

describe('a pod that asks for its files', () => {
  test('gets it before a container of the user that is named almost like a client', () => {
    const containers = [{ name: 'fluid-fuse-cache', image: 'busybox' }];
    expect(prefetched({}, { pod: { containers } }).names('containers')).toEqual(['fluid-file-prefetcher', 'fluid-fuse-cache']);
  });
  test('gets a container that reads them before its own start, the same each time', () => {
    const { after, container, names } = prefetched();
    expect(names('containers')).toEqual(['fluid-file-prefetcher', 'main']);
    expect(container).toMatchObject({
      image: 'sluice:1',
      args: ['prefetch'],
      env: [
        { name: 'FILE_PREFETCHER_FILE_LIST', value: '/data/z-models/**;/data/a-images/**' },
        { name: 'FILE_PREFETCHER_ASYNC_PREFETCH', value: 'false' },
        { name: 'FILE_PREFETCHER_TIMEOUT_SECONDS', value: '120' },
      ],
      securityContext: { runAsUser: 0 },
      volumeMounts: [
        { name: 'a-images', mountPath: '/data/a-images', mountPropagation: 'HostToContainer' },
        { name: 'z-models', mountPath: '/data/z-models', mountPropagation: 'HostToContainer' },
        { name: 'fluid-file-prefetcher-status-vol', mountPath: '/tmp/fluid-file-prefetcher/status' },
      ],
    });
    expect(container?.lifecycle?.postStart?.exec?.command?.slice(3)).toEqual([
      'sluice',
      '/tmp/fluid-file-prefetcher/status/prefetcher.status',
      '120',
    ]);
    expect(after.spec.volumes).toContainEqual({ name: 'fluid-file-prefetcher-status-vol', emptyDir: {} });
    expect(after.metadata.annotations).toMatchObject({ 'file-prefetcher.fluid.io/inject-done': 'true' });
    expect(after.spec.containers[1]).toEqual({ name: 'main', image: 'busybox' });
  });
  test('gets it once', () => {
    const { before, after } = prefetched({ 'inject-done': 'true' });
    expect(after).toBe(before);
  });
  test('gets it after the clients that it has', () => {
    const containers = ['first', 'fluid-fuse-1', 'fluid-fuse-0', 'main'].map((name) => ({ name, image: 'i' }));
    expect(prefetched({}, { pod: { containers } }).names('containers')).toEqual([
      'first',
      'fluid-fuse-1',
      'fluid-fuse-0',
      'fluid-file-prefetcher',
      'main',
    ]);
  });
  test('gets a native sidecar before its init containers, which wait for a probe, if the webhook makes such', () => {
    const { container, names } = prefetched({ 'prefetch-timeout-seconds': '30' }, { settings: { nativeSidecars: true } });
    expect(names('initContainers')).toEqual(['fluid-file-prefetcher', 'prepare']);
    expect(container).toMatchObject({ restartPolicy: 'Always', startupProbe: { periodSeconds: 1 } });
    expect(container?.lifecycle).toBeUndefined();
    expect(container?.startupProbe?.failureThreshold).toBeGreaterThan(30);
  });
  test('does not wait if it says so, and sees the result in each of its containers', () => {
    const containers = ['fluid-fuse-0', 'main', 'second'].map((name) => ({ name, image: 'i' }));
    const { after, container } = prefetched({ 'async-prefetch': 'T' }, { pod: { containers } });
    expect([container?.lifecycle, container?.startupProbe]).toEqual([undefined, undefined]);
    const mount = [{ name: 'fluid-file-prefetcher-status-vol', mountPath: '/tmp/fluid-file-prefetcher/status' }];
    expect(after.spec.containers.map(({ name, volumeMounts }) => [name, volumeMounts])).toMatchObject([
      ['fluid-fuse-0', undefined],
      ['fluid-file-prefetcher', {}],
      ['main', mount],
      ['second', mount],
    ]);
  });
  test('chooses the image, whose own program reads', () => {
    const { container } = prefetched({ image: 'acme/prefetch:1' });
    expect(container).toMatchObject({ image: 'acme/prefetch:1' });
    expect([container?.args, container?.command, container?.securityContext]).toEqual([undefined, undefined, undefined]);
  });
  test.each([{ runAsUser: 1000 }, { runAsNonRoot: true }])('reads as the user of the pod: %j', (securityContext) => {
    expect(prefetched({}, { pod: { securityContext } }).container?.securityContext?.runAsUser).toBeUndefined();
  });
  test.each<[string, Partial<Pod['spec']>, object]>([
    ['by the pod', { securityContext: { runAsNonRoot: true } }, {}],
    [
      'by each container',
      { containers: [{ name: 'main', image: 'i', securityContext: { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 2000 } }] },
      { runAsUser: 1000, runAsGroup: 2000 },
    ],
  ])('stays within the Pod Security level restricted if it runs as another user than root, %s', (_, pod, user) => {
    expect(prefetched({}, { pod }).container?.securityContext).toEqual({
      runAsNonRoot: true,
      ...user,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    });
  });
  test('keeps the seccomp profile of the pod', () => {
    const securityContext = { runAsNonRoot: true, seccompProfile: { type: 'Localhost', localhostProfile: 'a' } };
    expect(prefetched({}, { pod: { securityContext } }).container?.securityContext).not.toHaveProperty('seccompProfile');
  });
  test.each<Admission['injection']['mode']>(['serverful', 'serverless'])('gets none on Windows, with a warning: %s', (mode) => {
    const { before, after, warnings } = prefetched({}, { mode, pod: { os: { name: 'windows' } } });
    expect(after).toBe(before);
    expect(warnings).toEqual([expect.stringContaining('spec.os.name is windows')]);
  });
  test.each([
    ['Never', false, 'true'],
    ['OnFailure', false, 'true'],
    ['Always', false, undefined],
    ['Never', true, undefined],
  ])('under %s, native sidecars %s, has a label for the controller without clients too: %s', (restartPolicy, nativeSidecars, label) => {
    const { after } = prefetched({}, { mode: 'serverful', settings: { nativeSidecars }, pod: { restartPolicy } });
    expect(after.metadata.labels?.['done.sidecar.fluid.io/inject']).toBe(label);
  });
  test.each<[string, string]>([
    ['pvc://models', '/data/z-models/**'],
    ['pvc://models/', '/data/z-models/'],
    ['pvc://models/a/*.bin; pvc://images/b', '/data/z-models/a/*.bin;/data/a-images/b'],
    ['pvc://models/../../../etc/passwd', '/data/z-models/etc/passwd'],
    ['pvc://models//x/./y', '/data/z-models/x/y'],
    ['pvc://scratch/a;pvc://nothing/b;/etc/passwd;s3://x;pvc://models/a', '/data/z-models/a'],
    ['pvc://models/a;pvc://models/a', '/data/z-models/a'],
    ['pvc://models/$(HOME)/a', '/data/z-models/$$(HOME)/a'],
    ['<ALL>', '/data/z-models/**;/data/a-images/**'],
  ])('names them: %s', (fileList, expected) => {
    expect(prefetched({ 'file-list': fileList }).list).toBe(expected);
  });
  test.each(['', 'pvc://scratch', '/etc/passwd', 'pvc://'])('gets nothing for a list that names none: %j', (fileList) => {
    const { before, after, warnings } = prefetched({ 'file-list': fileList });
    expect(after).toBe(before);
    expect(warnings).toEqual([expect.stringContaining('file-list] names none')]);
  });
  test.each([
    [
      'A=1 B=x=y',
      [
        ['A', '1'],
        ['B', 'x=y'],
      ],
    ],
    [
      'A="a b" B=',
      [
        ['A', 'a b'],
        ['B', ''],
      ],
    ],
    ['A=1  A=2', [['A', '2']]],
    ['', []],
  ])('passes variables on: %s', (extra, expected) => {
    const env = prefetched({ 'extra-envs': extra }).container?.env ?? [];
    expect(env.slice(3).map(({ name, value }) => [name, value])).toEqual(expected);
  });
});

describe('a wrong annotation', () => {
  const WRONG: readonly [string, string, string][] = [
    ['async-prefetch', 'yes', 'expected true or false, found "yes"'],
    ['prefetch-timeout-seconds', '2m', 'expected a whole number of seconds from 0 to 86400, found "2m"'],
    ['prefetch-timeout-seconds', '-1', 'expected a whole number of seconds from 0 to 86400, found "-1"'],
    ['extra-envs', 'A', 'expected NAME=value, separated by spaces, values with spaces in double quotes, found "A"'],
    ['extra-envs', '=x', 'expected NAME=value, separated by spaces, values with spaces in double quotes, found "=x"'],
    ['extra-envs', 'A="x', 'expected NAME=value, separated by spaces, values with spaces in double quotes, found "A=\\"x"'],
    [
      'extra-envs',
      'FILE_PREFETCHER_FILE_LIST=/etc',
      'expected names other than those of the prefetcher, found "FILE_PREFETCHER_FILE_LIST"',
    ],
    ['image', ' ', 'expected an image, without spaces, found " "'],
    ['image', 'busybox ', 'expected an image, without spaces, found "busybox "'],
    ['image', 'busybox\u0085', 'expected an image, without spaces, found '],
    [
      'file-list',
      'pvc://models/a,pvc://images/b',
      'expected entries pvc://<claim>/<pattern> separated by ";", found "pvc://models/a,pvc://images/b"',
    ],
  ];
  test.each(WRONG)('denies a pod that asks for sidecars: %s %s', (key, value, message) => {
    expect(() => prefetched({ [key]: value })).toThrow(`metadata.annotations[file-prefetcher.fluid.io/${key}]: ${message}`);
  });
  test.each(WRONG)('of a pod that asks for hints is a warning: %s %s', (key, value, message) => {
    const { before, after, warnings } = prefetched({ [key]: value }, { mode: 'serverful' });
    expect(after).toBe(before);
    expect(warnings).toEqual([
      expect.stringContaining(`no files are prefetched: metadata.annotations[file-prefetcher.fluid.io/${key}]: ${message}`),
    ]);
  });
  test('with more files than a variable holds is refused before it grows', () => {
    const volumes = Array.from({ length: 1000 }, (_, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName: 'models' } }));
    const list = 'pvc://models/a;'.repeat(15_000);
    const began = performance.now();
    expect(() => prefetched({ 'file-list': list }, { pod: { volumes } })).toThrow('expected files that take at most 65536 characters');
    expect(performance.now() - began).toBeLessThan(1000);
  });
  test.each([
    ['spec.containers: expected no fluid-file-prefetcher', { containers: [{ name: 'fluid-file-prefetcher', image: 'i' }] }],
    [
      'spec.volumes: expected no fluid-file-prefetcher-status-vol',
      { volumes: [{ name: 'fluid-file-prefetcher-status-vol' }, { name: 'a', persistentVolumeClaim: { claimName: 'models' } }] },
    ],
  ])('is one on a pod that has these names already: %s', (message, pod) => {
    expect(() => prefetched({}, { pod })).toThrow(message);
  });
});

describe('before the sidecars of its pod', () => {
  const injected = (nativeSidecars: boolean) =>
    mutate(
      { pod: reader(['images', 'tables'], {}, { annotations: fix({}) }), namespace: 'ml' },
      {
        known: knownOf(joined(images('images'), images('tables'))),
        settings: { disabled: false, nativeSidecars, prefetcher: { image: 'sluice', isOurs: true } },
        profile: {
          serverful: { withDataset: [], withoutDataset: [] },
          serverless: { withDataset: [filePrefetcher.configure(undefined), fuseSidecar.configure(undefined)], withoutDataset: [] },
        },
        random: () => '0123456789ab',
        warn: () => {},
      },
    ).spec;
  test('the prefetcher ends up between clients and application', () => {
    expect(injected(false).containers.map(({ name }) => name)).toEqual(['fluid-fuse-1', 'fluid-fuse-0', 'fluid-file-prefetcher', 'main']);
    expect(injected(true).initContainers?.map(({ name }) => name)).toEqual(['fluid-fuse-1', 'fluid-fuse-0', 'fluid-file-prefetcher']);
  });
  test('its mounts become those of the clients', () => {
    const { volumes, initContainers } = injected(true);
    expect(volumes?.find(({ name }) => name === 'images')?.hostPath).toBeDefined();
    expect(initContainers?.at(-1)?.volumeMounts?.[0]).toEqual({
      name: 'images',
      mountPath: '/data/images',
      mountPropagation: 'HostToContainer',
    });
  });
});
