import { describe, expect, test } from 'vitest';
import { settled, waiting } from '../../src/kube/turns/queue.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { PodExec } from '../../src/kube/exec.ts';
import type { ExecCall } from '../../src/playground/engines/exec-call.ts';
import { defaultAnswer } from '../../src/playground/engines/juicefs.ts';
import { exampleFileSystem } from '../support/example-exec.ts';
import * as write from '../support/objects.ts';
import { boundHarness, demo, type Harness, harness } from './harness.ts';

const dataset = () => write.openDataset('demo');
const thin = () => write.thinRuntime('demo', { profileName: 'profile' });
const example = () => write.exampleRuntime('demo', {});

async function withBoth(runtime: KubeObject = thin()): Promise<Harness> {
  const at = await harness();
  at.put(dataset());
  at.put(runtime);
  return at;
}

describe('set-up', () => {
  test.each([
    ['the Dataset comes first', [dataset(), thin()]],
    ['the runtime comes first', [thin(), dataset()]],
  ])('binds when %s', async (_, objects) => {
    const at = await harness();
    for (const object of objects) {
      at.put(object);
      await at.quiet();
    }
    expect(at.dataset()).toMatchObject({
      phase: 'Bound',
      runtimes: [{ name: 'demo', namespace: 'ml', type: 'thin', category: 'Accelerate' }],
    });
    expect(at.written({ verb: 'create' }).toSorted()).toEqual([
      'create ConfigMap/demo-fuse-conf',
      'create DaemonSet/demo-fuse',
      'create PersistentVolume/ml-demo',
      'create PersistentVolumeClaim/demo',
    ]);
  });

  test('marks both objects before it makes anything', async () => {
    const at = await withBoth();
    await at.pass();
    // The Dataset first: that write shows that it is the one which the runtime is to name as its owner.
    expect(at.written().slice(0, 3)).toEqual(['patch Dataset/demo', 'patch ThinRuntime/demo', expect.stringMatching(/^create /)]);
  });

  test('reads no Dataset afresh that it marked itself a moment ago', async () => {
    const at = await harness();
    at.put(dataset());
    await at.pass();
    at.put(thin());
    await at.pass();
    expect(at.get('ThinRuntime')?.metadata.ownerReferences).toMatchObject([{ kind: 'Dataset' }]);
    expect(at.server.requestsThat({ verb: 'get', kind: 'Dataset' })).toEqual([]);
  });

  const bindCompleted = () => ({ 'pv.kubernetes.io/bind-completed': 'yes' });
  test('reports Bound and the size of the data in one write, if the answers come soon enough', async () => {
    const exec: PodExec = async (where, argv) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return defaultAnswer({ ...where, argv } as ExecCall)?.stdout ?? '';
    };
    const at = await harness({ exec });
    for (const object of [write.jfsSecret(), write.jfsDataset('demo'), write.jfsRuntime('demo')]) at.put(object);
    await at.quiet();
    const written = at.server
      .requestsThat({ verb: 'patch', kind: 'Dataset', subresource: 'status' })
      .map(({ body }) => JSON.stringify(body));
    expect(written.filter((body) => body.includes('ufsTotal'))).toEqual([expect.stringContaining('"phase":"Bound"')]);
  });

  test('makes the volume for the claim that is there, and completes the claim once the volume is Bound', async () => {
    const at = await withBoth();
    at.controllers.paused.add('volumes').add('claims');
    await at.quiet();
    const { uid, annotations } = at.get('PersistentVolumeClaim')!.metadata;
    expect(at.get('PersistentVolume', 'ml-demo')?.['spec']).toMatchObject({ claimRef: { namespace: 'ml', name: 'demo', uid } });
    expect(annotations).not.toMatchObject(bindCompleted());
    expect(at.dataset().phase).toBe('NotBound');
    at.controllers.paused.delete('volumes');
    await at.settle();
    expect(at.get('PersistentVolume', 'ml-demo')?.['status']).toEqual({ phase: 'Bound' });
    expect(at.get('PersistentVolumeClaim')).toMatchObject({ metadata: { annotations: bindCompleted() }, status: { phase: 'Pending' } });
    expect(at.dataset().phase).toBe('Bound');
  });
  test('has a claim looked at again whose completion came to nothing, less and less often, until the resync does so', async () => {
    const at = await withBoth();
    at.controllers.paused.add('claims');
    const patches = () => at.written({ kind: 'PersistentVolumeClaim', verb: 'patch' }).length;
    at.start();
    await at.advance(2900);
    expect(patches()).toBe(1);
    await at.advance(200);
    expect(patches()).toBe(2);
    expect(at.get('PersistentVolumeClaim')?.metadata.annotations?.['data.fluid.io/nudged-at']).toBeDefined();
    await at.advance(600_000);
    expect(patches()).toBe(4);
    at.controllers.paused.delete('claims');
    await at.quiet();
    at.forget();
    await at.advance(60_000);
    expect(at.written()).toEqual([]);
  });

  test('waits for masters and mounts before it makes workers', async () => {
    const { exec } = exampleFileSystem();
    let mounts = false;
    const at = await harness({
      exec: async (where, argv, ms) => {
        if (argv[1] === 'mount' && !mounts) throw new Error('it cannot be mounted');
        return exec(where, argv, ms);
      },
    });
    at.controllers.unready.add('ml/demo-master');
    at.put(dataset());
    at.put(example());
    await at.quiet();
    expect(at.get('StatefulSet', 'demo-master')).toBeDefined();
    expect(at.get('StatefulSet', 'demo-worker')).toBeUndefined();
    at.controllers.unready.clear();
    await at.advance(10_000);
    expect(at.get('StatefulSet', 'demo-worker')).toBeUndefined();
    mounts = true;
    await at.advance(60_000);
    expect(at.dataset().phase).toBe('Bound');
  });

  test('writes nothing for a hold that passes within a second', async () => {
    const at = await withBoth();
    expect(await at.pass(demo, 600)).toEqual(waiting(600));
    expect(at.written({ subresource: 'status' })).toEqual([]);
  });

  test('reports a hold that has lasted a second, and has no further pass until an event', async () => {
    const at = await withBoth();
    expect(await at.pass(demo, 0)).toEqual(settled());
    expect(at.conditions('Dataset')['NotReady']).toBe('True VolumePending: the volume does not exist yet');
  });

  test('a second pass over a bound dataset writes nothing', async () => {
    const at = await boundHarness([dataset(), thin()]);
    expect(await at.pass()).toEqual(settled());
    expect(at.written()).toEqual([]);
  });

  test('a pass over nothing does nothing', async () => {
    const at = await harness();
    expect(await at.pass()).toEqual(settled());
    expect(at.written()).toEqual([]);
  });

  test('reports a Dataset without a runtime', async () => {
    const at = await harness();
    at.put(dataset());
    await at.quiet();
    expect(at.conditions('Dataset')['NotReady']).toBe('True RuntimeNotFound: no runtime is called demo in namespace ml');
    at.edit('Dataset', { mounts: [{ mountPoint: 'dataset://ml/other', name: 'other' }] });
    await at.quiet();
    expect(at.conditions('Dataset')['NotReady']).toBe('True DatasetFailedToSetup: Dataset ml/other does not exist');
    at.edit('Dataset', { mounts: [{ mountPoint: `dataset://${'x'.repeat(1000)}`, name: 'other' }] });
    await at.quiet();
    expect(at.conditions('Dataset')['NotReady']?.length).toBeLessThan(500);
  });
  test('reports a runtime without a Dataset', async () => {
    const at = await harness();
    at.put(thin());
    await at.quiet();
    expect(at.conditions('ThinRuntime')['Synced']).toBe('False DatasetNotFound: no Dataset is called demo in namespace ml');
    expect(at.get('ThinRuntime')?.metadata.finalizers).toBeUndefined();
  });
});

describe('secrets', () => {
  const secretive = (): KubeObject =>
    write.datasetObject('demo', {
      mounts: [
        { mountPoint: 's3://b', name: 'b', encryptOptions: [{ name: 'key', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }] },
      ],
    });
  async function waiting(): Promise<Harness> {
    const at = await harness();
    at.put(secretive());
    at.put(thin());
    await at.quiet();
    return at;
  }
  test('are waited for, and nothing is made before they are there', async () => {
    const at = await waiting();
    expect(at.conditions('Dataset')['NotReady']).toBe(
      'True DatasetFailedToSetup: waiting for Secret ml/keys of spec.mounts[0].encryptOptions[0].valueFrom.secretKeyRef in the Dataset',
    );
    expect(at.written({ verb: 'create' })).toEqual([]);
  });
  test('are asked for less and less often while they are missing', async () => {
    const at = await waiting();
    at.forget();
    await at.advance(120_000);
    expect(at.server.requestsThat({ verb: 'get', kind: 'Secret' }).length).toBeLessThanOrEqual(6);
  });
  test('bind the dataset when they come', async () => {
    const at = await waiting();
    at.put(write.secret('keys', { k: 'v' }));
    await at.advance(30_000);
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions('Dataset')).toEqual({
      NotReady: 'False DatasetReady: The ddc runtime is ready.',
      Ready: 'True DatasetReady: The ddc runtime is ready.',
    });
  });
  test('that go once the dataset is bound do not unbind it', async () => {
    const at = await boundHarness([secretive(), thin(), write.secret('keys', { k: 'v' })]);
    at.delete('Secret', 'keys');
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
  });
  test('that go are not taken for existing by a Dataset that is applied a moment later', async () => {
    const at = await harness();
    await at.quiet();
    const applied = (name: string) =>
      [secretive(), thin()].map((object) => at.put({ ...object, metadata: { ...object.metadata, name } } as KubeObject));
    const phase = (name: string) => (at.server.get('Dataset', 'ml', name)?.['status'] as { phase?: string } | undefined)?.phase;
    at.put(write.secret('keys', { k: 'v' }));
    applied('demo');
    await at.advance(1_500);
    expect(phase('demo')).toBe('Bound');
    at.delete('Secret', 'keys');
    await at.advance(1_000);
    applied('next');
    await at.quiet();
    expect(phase('next')).toBe('NotBound');
  });
  test('that cannot be read are reported on the runtime', async () => {
    const at = await harness();
    at.server.rules.refuse({ verb: 'get', kind: 'Secret' }, { status: 403, reason: 'Forbidden' });
    at.put(secretive());
    at.put(thin());
    await expect(at.pass()).rejects.toThrow('403 Forbidden');
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False LookupFailed: GET .*\/secrets\/keys: 403 Forbidden/);
  });
});

describe('an invalid spec', () => {
  const invalid = () => write.thinRuntime('demo', { profileName: 'profile', fuse: { resources: { requests: { memory: 'much' } } } });

  test('is reported once, on both objects, and only an edit starts the next pass', async () => {
    const at = await withBoth(invalid());
    expect(await at.pass()).toEqual(settled());
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False InvalidSpec: .*memory.*"much"/);
    expect(at.conditions('Dataset')['NotReady']).toMatch(/^True DatasetFailedToSetup: .*memory/);
    const writes = at.written().length;
    await at.pass();
    expect(at.written()).toHaveLength(writes);
    expect(at.events).toHaveLength(2);
  });
  test('of a shape that only another version of the CRD admits is reported, and no existing object changes', async () => {
    const at = await boundHarness([dataset(), thin()]);
    at.edit('ThinRuntime', { fuse: { args: '-f' } });
    await at.quiet();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False InvalidSpec: .*spec\.fuse\.args: expected a list, found "-f"/);
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
    at.edit('ThinRuntime', { fuse: {} });
    await at.quiet();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
  });
  test('leaves what is bound as it is', async () => {
    const at = await boundHarness([dataset(), thin()]);
    const spec = () =>
      ['DaemonSet/demo-fuse', 'PersistentVolume/ml-demo', 'PersistentVolumeClaim/demo'].map((name) => {
        const [kind = '', called] = name.split('/');
        return at.get(kind, called)?.['spec'];
      });
    const before = spec();
    at.edit('ThinRuntime', { fuse: { resources: { requests: { memory: 'much' } } } });
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions('Dataset')['Ready']).toMatch(/^True/);
    expect(spec()).toEqual(before);
    expect(at.written({ verb: 'delete' })).toEqual([]);
  });
  test('is forgiven when it is edited', async () => {
    const at = await withBoth(invalid());
    await at.quiet();
    at.edit('ThinRuntime', { fuse: {} });
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    expect(at.conditions('ThinRuntime')['Synced']).toBe('True Synced: Every object is as the spec says.');
  });
  test('does not keep the runtime from being deleted', async () => {
    const at = await boundHarness([dataset(), thin()]);
    at.edit('ThinRuntime', { fuse: { resources: { requests: { memory: 'much' } } } });
    await at.quiet();
    at.delete('ThinRuntime');
    await at.quiet();
    expect(at.get('ThinRuntime')).toBeUndefined();
    expect(at.get('PersistentVolume', 'ml-demo')).toBeUndefined();
  });
});

describe('two runtimes of one name', () => {
  test('the older serves the dataset, and the other one reports that', async () => {
    const at = await harness();
    at.put(dataset());
    at.put(example());
    await at.advance(5000);
    at.put(thin());
    await at.quiet();
    expect(at.dataset().runtimes?.[0]?.type).toBe('example');
    expect(at.conditions('ThinRuntime')).toEqual({
      Synced: 'False DatasetTaken: ExampleRuntime demo serves the dataset',
      DatasetTaken: 'True DatasetTaken: ExampleRuntime demo serves the dataset',
    });
    expect(at.get('ThinRuntime')?.metadata.finalizers).toBeUndefined();
  });
  test('the one that serves already keeps the dataset from an older one', async () => {
    const at = await boundHarness([dataset(), thin()]);
    at.put({ ...example(), metadata: { name: 'demo', creationTimestamp: '2020-01-01T00:00:00Z' } });
    await at.quiet();
    expect(at.dataset().runtimes?.[0]?.type).toBe('thin');
  });
  test('the other takes over when the first is deleted, and no longer says that it is not served', async () => {
    const at = await boundHarness([dataset(), thin()]);
    at.put(example());
    await at.quiet();
    expect(at.conditions('ExampleRuntime')['DatasetTaken']).toBeDefined();
    at.delete('ThinRuntime');
    await at.quiet();
    expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ type: 'example' }] });
    expect(at.conditions('ExampleRuntime')['DatasetTaken']).toBeUndefined();
    expect(at.get('ThinRuntime')).toBeUndefined();
  });
});
