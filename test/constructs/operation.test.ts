import { describe, expect, test } from 'vitest';
import { InvalidSpec, type Manifest } from '../../src/api/index.ts';
import type { OperationKind } from '../../src/constructs/index.ts';
import { job, runtimeOf } from '../support/operations.ts';

interface Job extends Manifest {
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: Record<string, unknown> } };
}
const podOf = (all: readonly Manifest[]) => (all.at(-1) as Job).spec.template.spec;

describe('the Job of an operation', () => {
  test('is owned by the operation, as is its script', () =>
    expect(job({ scripts: { 'a.sh': '' } }).map(({ kind, metadata }) => [kind, metadata.ownerReferences?.[0]])).toEqual(
      ['ConfigMap', 'Job'].map((kind) => [kind, expect.objectContaining({ kind: 'DataMigrate', name: 'op', controller: true })]),
    ));
  test.each<[OperationKind, string]>([
    ['DataLoad', 'op-loader-job'],
    ['DataMigrate', 'op-migrate-migrate'],
    ['DataProcess', 'op-processor-job'],
    ['DataBackup', 'op-pod'],
  ])('of %s is called %s', (kind, name) => expect(job({}, {}, kind)[0]?.metadata.name).toBe(name));
  test('runs at any place where both the user and the runtime want it', () => {
    const on = (key: string) => ({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
      },
    });
    expect(JSON.stringify(podOf(job({ affinity: on('a') }, { affinity: on('b') })))).toMatch(/"key":"a".*"key":"b"/);
  });
  test('may be a pod of the user, to whose containers more is given', () => {
    const template = { spec: { containers: [{ name: 'c', image: 'p:1', command: ['ls'] }], restartPolicy: 'OnFailure' } };
    const containers = [{ name: 'c', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] as const;
    const pod = podOf(
      job({ template, containers, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'demo' } }] }, {}, 'DataProcess'),
    );
    expect(pod).toMatchObject({
      restartPolicy: 'OnFailure',
      containers: [{ name: 'c', image: 'p:1', command: ['ls'], volumeMounts: [{ name: 'data' }] }],
      volumes: [{ name: 'data' }],
    });
  });
  test('is as the API server prints it', () =>
    expect(podOf(job({}, { resources: { limits: { cpu: '1000m' } }, tolerations: [], nodeSelector: {} }))).toMatchObject({
      containers: [{ resources: { limits: { cpu: '1' } } }],
    }));
  test('needs a schedule where it comes again and again', () => {
    expect(() => job({}, { policy: 'Cron' })).toThrow(InvalidSpec);
    expect(() => job({}, { policy: 'Cron' })).toThrow('spec.schedule: expected a schedule, since the policy is Cron');
  });
});

test('a runtime does not support an operation without a construct; every runtime has a DataProcess', () =>
  expect(Object.keys(runtimeOf('juicefs').operations).toSorted()).toEqual(['DataLoad', 'DataMigrate', 'DataProcess']));
