/** Clients of further runtimes as sidecars: from the DaemonSets that these runtimes render. */
import { describe, expect, test } from 'vitest';
import cache from '../../../runtimes/cache/index.ts';
import jindo from '../../../runtimes/jindo/index.ts';
import { annotation, type Container, type Manifest, type PodTemplateSpec } from '../../../src/api/index.ts';
import type { BoundRuntime } from '../../../src/constructs/index.ts';
import { given as cacheGiven } from '../../runtimes/cache/given.ts';
import { given as jindoGiven } from '../../runtimes/jindo/given.ts';
import { images, inject, reader } from './fixture.ts';

const client = { name: 'client', image: 'plain:1', command: ['plainfs', '$(FLUID_RUNTIME_MOUNT_PATH)'] };
const clients: Readonly<Record<string, BoundRuntime>> = {
  cache: cache.bind(cacheGiven({ type: { topology: { client: { template: { spec: { containers: [client] } } } } } })),
  jindo: jindo.bind(jindoGiven()),
};

/** The webhook's knowledge of Dataset `ml/demo` once it is set up. */
function known(type: string) {
  const bound = clients[type]!;
  const daemonSet = bound.synth('fuse').find(({ kind }) => kind === 'DaemonSet') as Manifest;
  const { volume, hostPath } = bound.plan;
  const base = images('demo');
  return {
    ...base,
    datasets: { 'ml/demo': { ...base.datasets['ml/demo']!, runtime: { type, namespace: 'ml', name: 'demo' } } },
    runtimes: { [`${type}/ml/demo`]: { cacheAffinity: [], scrapesSidecars: false } },
    volumes: {
      'ml-demo': { ...base.volumes['ml-demo']!, path: volume.attributes['fluid_path'] ?? '', mountType: volume.mountType },
    },
    fuses: {
      'ml/demo': {
        sidecar: JSON.parse(daemonSet.metadata.annotations?.[annotation.sidecar] ?? '') as { caches: string[] },
        template: (daemonSet['spec'] as { readonly template: PodTemplateSpec }).template as never,
      },
    },
    hostPath,
  };
}

describe.each(Object.keys(clients))('the client of %s', (type) => {
  const { hostPath, ...cluster } = known(type);
  const { spec } = inject(reader(['demo']), cluster);
  const [sidecar] = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always') as [Container];

  test('mounts in a directory of the pod alone, where its containers read', () => {
    const at = clients[type]!.plan.volume.attributes['fluid_path']?.slice(hostPath.length);
    const source = spec.volumes?.find(({ name }) => name === 'demo')?.hostPath?.path;
    expect(source).toBe(`${hostPath}/app-000000000000${at}`);
    const shared = sidecar.volumeMounts?.find(({ mountPropagation }) => mountPropagation === 'Bidirectional');
    expect(spec.volumes?.find(({ name }) => name === shared?.name)?.hostPath?.path).toBe(`${hostPath}/app-000000000000`);
  });
  test('makes the directory on which it mounts, and starts with its own command', () => {
    expect(sidecar.command?.join('\n')).toContain('mkdir -p');
    expect(sidecar.command?.slice(-1)).toEqual(type === 'cache' ? ['$(FLUID_RUNTIME_MOUNT_PATH)'] : ['/entrypoint.sh']);
  });
  test('is privileged, and has the files that it reads', () => {
    expect(sidecar.securityContext?.privileged).toBe(true);
    const read = sidecar.volumeMounts?.map(({ mountPath }) => mountPath);
    expect(read).toContain(type === 'cache' ? '/etc/fluid/config' : '/jindosdk.cfg');
  });
});
