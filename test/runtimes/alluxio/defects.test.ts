/** Defects of Fluid's Alluxio that were seen when it was recorded, and what is done about each. */
import { describe, expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import { container, given, planOf, podOf, propertiesOf } from './given.ts';

const http = [{ mountPoint: 'https://a.example/b', name: 'b' }];
const levels = (volumeType: 'hostPath' | 'emptyDir') => ({
  tieredstore: { levels: [{ mediumtype: 'SSD' as const, path: '/a', quota: '1Gi', volumeType }] },
});

describe('what Fluid reads and never renders', () => {
  const SHORT_CIRCUIT = 'alluxio.user.short.circuit.enabled';
  test('short circuit: off where clients cannot see the cache, and left to Alluxio where they can', () => {
    expect(propertiesOf(given({ spec: levels('emptyDir') }))[SHORT_CIRCUIT]).toBe('false');
    expect(propertiesOf(given({ spec: levels('hostPath') }))).not.toHaveProperty([SHORT_CIRCUIT]);
    expect(propertiesOf(given({ spec: { ...levels('hostPath'), properties: { [SHORT_CIRCUIT]: 'false' } } }))[SHORT_CIRCUIT]).toBe('false');
  });
  test.each([
    ['jobMaster', 'master', 'alluxio-job-master', 'ALLUXIO_JOB_MASTER_JAVA_OPTS'],
    ['jobWorker', 'worker', 'alluxio-job-worker', 'ALLUXIO_JOB_WORKER_JAVA_OPTS'],
    ['apiGateway', 'master', 'api-gateway', 'ALLUXIO_PROXY_JAVA_OPTS'],
  ] as const)('env, properties, jvmOptions and resources of %s: as the spec says', (part, role, name, variable) => {
    const own = { env: { A: '1' }, properties: { 'alluxio.a': 'b' }, jvmOptions: ['-Xmx7m'], resources: { limits: { cpu: '2' } } };
    const input = given({ spec: { [part]: { enabled: true, ...own } } });
    expect(container(input, role, name)).toMatchObject({ resources: { limits: { cpu: '2' } } });
    expect(container(input, role, name).env).toContainEqual({ name: 'A', value: '1' });
    expect(planOf(input).environment[variable]).toMatch(/ -Dalluxio\.a=b -Xmx7m $|^-Dalluxio\.a=b -Xmx7m $/);
  });
  test('resources of a client without a memory limit: as the spec says', () =>
    expect(container(given({ spec: { fuse: { resources: { requests: { cpu: '1' } } } } }), 'fuse', 'alluxio-fuse').resources).toEqual({
      requests: { cpu: '1' },
    }));
  test('ContainerNetwork of a client: as the spec says', () => {
    const hostNetwork = (spec: AlluxioRuntimeSpec) => (podOf(given({ spec }), 'fuse') as { hostNetwork?: boolean }).hostNetwork;
    expect(hostNetwork({})).toBe(true);
    expect(hostNetwork({ fuse: { networkMode: 'ContainerNetwork' } })).toBeUndefined();
  });
});

describe('what Fluid reads beyond its end, or says twice', () => {
  test('arguments of a client without options, over HTTP: as the spec says', () => {
    const argsOf = (args: string[]) => container(given({ mounts: http, spec: { fuse: { args } } }), 'fuse', 'alluxio-fuse').args;
    expect(argsOf(['fuse'])).toEqual(['fuse', '/runtime-mnt/alluxio/ml/demo/alluxio-fuse', '/']);
    expect(argsOf(['fuse', '-o'])[1]).toBe('-o,allow_other,max_readahead=0');
  });
  test.each([
    [1, 'UFS'],
    [3, 'EMBEDDED'],
  ])('the journal of %d masters is said once: %s', (replicas, type) => {
    const { ALLUXIO_JAVA_OPTS = '' } = planOf(given({ spec: { master: { replicas } } })).environment;
    expect(ALLUXIO_JAVA_OPTS.match(/-Dalluxio\.master\.journal\.type=\S+/g)).toEqual([`-Dalluxio.master.journal.type=${type}`]);
    expect(ALLUXIO_JAVA_OPTS.match(/-Dalluxio\.master\.embedded\.journal\.addresses=\S*/g)?.length ?? 0).toBe(replicas > 1 ? 1 : 0);
  });
});

describe('what its charts decide', () => {
  test('the Service that a StatefulSet of workers names does not exist: kept, since the name cannot be changed', () => {
    const made = (['master', 'worker', 'fuse'] as const).flatMap(alluxio.bind(given({ spec: { replicas: 1 } })).synth);
    const worker = made.find(({ kind, metadata: { name } }) => kind === 'StatefulSet' && name === 'demo-worker');
    expect(worker?.['spec']).toMatchObject({ serviceName: 'demo-worker' });
    expect(made.filter(({ kind }) => kind === 'Service').map(({ metadata: { name } }) => name)).toEqual(['demo-master-0']);
  });
  test('the configuration is an object like all others, and no hook of helm', () => {
    const config = alluxio
      .bind(given())
      .synth('master')
      .find(({ kind }) => kind === 'ConfigMap');
    expect(config?.metadata).toMatchObject({ name: 'demo-config', ownerReferences: [{ kind: 'AlluxioRuntime' }] });
    expect(config?.metadata).not.toHaveProperty('annotations');
  });
  test('a cache without levels has one in memory, of 1 GB, as in Fluid; an empty list is the same', () => {
    for (const spec of [{}, { tieredstore: {} }, { tieredstore: { levels: [] } }]) {
      expect(podOf(given({ spec }), 'worker').volumes).toContainEqual({ name: 'mem', emptyDir: { medium: 'Memory', sizeLimit: '1G' } });
      expect(propertiesOf(given({ spec }))['alluxio.worker.tieredstore.level0.dirs.quota']).toBe('1G');
    }
  });
  test('zero and false are what the spec says, and not what a chart has for nothing', () => {
    expect(planOf(given({ spec: { replicas: 0 } })).replicas.worker).toBe(0);
    expect(planOf(given({ spec: { apiGateway: { enabled: false } } })).hasGateway).toBe(false);
  });
});
