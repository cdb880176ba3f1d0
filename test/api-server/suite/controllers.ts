import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { KubeClient } from '../../../src/kube/contract.ts';
import { isNotFound } from '../../../src/kube/errors.ts';
import { type KubeObject, type ResourceType, resourceType } from '../../../src/kube/types.ts';
import { kinds } from '../../support/kinds.ts';
import type { Subject } from '../suite.ts';
import { claim, daemonSet, pod, refusal, refused, statefulSet, unique, volume } from './objects.ts';

const { DaemonSet, Event, Node, PersistentVolume, PersistentVolumeClaim, Pod, ResourceQuota, StatefulSet } = kinds;

const Deployment = resourceType('apps', 'Deployment', 'deployments');

export function controllers(subject: () => Subject): void {
  let client: KubeClient;
  let namespace: string;
  beforeEach(async () => {
    client = subject().client('user');
    namespace = await subject().namespace();
  });
  const at = (name: string) => ({ namespace, name });
  const becomes = (type: ResourceType, name: string, expected: object): Promise<KubeObject> =>
    subject().eventually(async () => {
      const found = await client.get(type, { ...(type.namespaced && { namespace }), name });
      expect(found).toMatchObject(expected);
      return found;
    });
  const gone = (type: ResourceType, name: string) =>
    subject().eventually(async () =>
      expect(isNotFound(await refusal(client.get(type, { ...(type.namespaced && { namespace }), name })))).toBe(true),
    );
  const pods = async () => (await client.list(Pod, { namespace })).items;
  const podNames = async () => (await pods()).filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);

  test('a StatefulSet has as many pods as it says, and counts those that are ready', async () => {
    const made = await client.create(StatefulSet, statefulSet(namespace, 'a', { replicas: 2 }));
    await becomes(StatefulSet, 'a', { status: { observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2 } });
    expect((await podNames()).toSorted()).toEqual(['a-0', 'a-1']);
    for (const { metadata, spec } of await pods()) {
      expect(metadata).toMatchObject({
        labels: { app: 'a' },
        ownerReferences: [{ kind: 'StatefulSet', name: 'a', uid: made.metadata.uid, controller: true }],
      });
      expect(spec).toHaveProperty('nodeName');
    }
    await client.patch(StatefulSet, at('a'), { spec: { replicas: 1 } }, { type: 'merge' });
    await becomes(StatefulSet, 'a', { status: { observedGeneration: 2, replicas: 1 } });
    await subject().eventually(async () => expect(await podNames()).toEqual(['a-0']));
  });
  test('pods that a quota refuses are not made, and an event says why, until the quota goes', async () => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team', namespace }, spec: { hard: { pods: '1' } } };
    await client.create(ResourceQuota, quota as KubeObject);
    // A real one refuses everything until it has counted.
    await subject().eventually(() => client.create(Pod, pod(namespace, 'first')));
    const full = /exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1$/;
    expect(await refusal(client.create(Pod, pod(namespace, 'second')))).toMatchObject(refused(403, 'Forbidden', full));
    const made = await client.create(StatefulSet, statefulSet(namespace, 'a', { replicas: 1 }));
    const fieldSelector = `involvedObject.uid=${made.metadata.uid},reason=FailedCreate`;
    await subject().eventually(async () => {
      const { items } = await client.list(Event, { namespace, fieldSelector });
      expect(items[0]?.['message']).toMatch(
        /^[cC]reate Pod a-0 in StatefulSet a failed error: pods "a-0" is forbidden: exceeded quota: team, /,
      );
    });
    expect(await podNames()).toEqual(['first']);
    await client.delete(ResourceQuota, at('team'));
    await becomes(StatefulSet, 'a', { status: { replicas: 1, readyReplicas: 1 } });
  });
  test('a pod of a StatefulSet that is deleted comes back, and all go with it', async () => {
    await client.create(StatefulSet, statefulSet(namespace, 'a', { replicas: 1 }));
    const { metadata } = await becomes(Pod, 'a-0', { status: { phase: 'Running' } });
    await client.delete(Pod, at('a-0'));
    await subject().eventually(async () => {
      const { uid } = (await client.get(Pod, at('a-0'))).metadata;
      expect(uid).not.toBe(metadata.uid);
    });
    await client.delete(StatefulSet, at('a'));
    await gone(Pod, 'a-0');
  });
  test('pods that a StatefulSet left behind stay, and become those of its successor', async () => {
    await client.create(StatefulSet, statefulSet(namespace, 'a', { replicas: 2 }));
    await becomes(StatefulSet, 'a', { status: { readyReplicas: 2 } });
    const uids = async () => (await pods()).map(({ metadata }) => metadata.uid).toSorted();
    const before = await uids();
    await client.delete(StatefulSet, at('a'), { propagation: 'Orphan' });
    await gone(StatefulSet, 'a');
    const { metadata } = await client.create(StatefulSet, statefulSet(namespace, 'a', { replicas: 2 }));
    await becomes(StatefulSet, 'a', { status: { replicas: 2, readyReplicas: 2 } });
    for (const pod of await pods()) expect(pod.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
    expect(await uids()).toEqual(before);
  });
  test('a Deployment is available once its pods are, and has progressed once no older ones are left', async () => {
    const { template } = statefulSet(namespace, 'a')['spec'] as { readonly template: { readonly spec: object } };
    const spec = { replicas: 2, selector: { matchLabels: { app: 'a' } }, template };
    await client.create(Deployment, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', namespace }, spec });
    const finished = (generation: number) =>
      becomes(Deployment, 'a', {
        status: {
          observedGeneration: generation,
          replicas: 2,
          updatedReplicas: 2,
          availableReplicas: 2,
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }),
            expect.objectContaining({ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }),
          ]) as object,
        },
      });
    await finished(1);
    const before = await podNames();
    await client.patch(Deployment, at('a'), { spec: { template: { spec: { subdomain: 'x' } } } }, { type: 'merge' });
    await finished(2);
    await subject().eventually(async () => {
      const after = await podNames();
      expect(after).toHaveLength(2);
      expect(after.filter((name) => before.includes(name))).toEqual([]);
    });
  });
  test('a DaemonSet has a pod on each node that it selects, and none elsewhere', async () => {
    const { items } = await client.list(Node);
    const node = items[0]!.metadata.name;
    const key = `test.example/${unique('on')}`;
    const label = (value: string | null) =>
      client.patch(Node, { name: node }, { metadata: { labels: { [key]: value } } }, { type: 'merge' });
    onTestFinished(async () => void (await label(null)));
    await client.create(DaemonSet, daemonSet(namespace, 'a', { nodeSelector: { [key]: 'yes' } }));
    await becomes(DaemonSet, 'a', { status: { observedGeneration: 1, desiredNumberScheduled: 0 } });
    expect(await podNames()).toEqual([]);
    await label('yes');
    await becomes(DaemonSet, 'a', { status: { desiredNumberScheduled: 1, numberReady: 1, numberAvailable: 1 } });
    const [running] = await pods();
    expect(running).toMatchObject({ metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'a' }] } });
    await label(null);
    await becomes(DaemonSet, 'a', { status: { desiredNumberScheduled: 0 } });
    await subject().eventually(async () => expect(await podNames()).toEqual([]));
  });
  test('a DaemonSet keeps to affinity, and to the taints of nodes', async () => {
    const { items } = await client.list(Node);
    const node = items[0]!.metadata.name;
    const key = `test.example/${unique('on')}`;
    const before = ((items[0]!['spec'] as { taints?: readonly object[] }).taints ?? []) as readonly object[];
    const taint = (...taints: readonly object[]) =>
      client.patch(Node, { name: node }, { spec: { taints: [...before, ...taints] } }, { type: 'merge' });
    onTestFinished(async () => {
      await taint();
      await client.patch(Node, { name: node }, { metadata: { labels: { [key]: null } } }, { type: 'merge' });
    });
    await client.patch(Node, { name: node }, { metadata: { labels: { [key]: 'b' } } }, { type: 'merge' });
    const terms = [{ matchExpressions: [{ key, operator: 'In', values: ['a', 'b'] }] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
    await taint({ key, value: 'x', effect: 'NoExecute' });
    await client.create(DaemonSet, daemonSet(namespace, 'shy', { affinity }));
    await client.create(DaemonSet, daemonSet(namespace, 'bold', { affinity, tolerations: [{ key, operator: 'Exists' }] }));
    await becomes(DaemonSet, 'bold', { status: { numberReady: 1 } });
    await becomes(DaemonSet, 'shy', { status: { observedGeneration: 1, desiredNumberScheduled: 0 } });
    await taint();
    await becomes(DaemonSet, 'shy', { status: { numberReady: 1 } });
  });

  test('a node that is cordoned takes pods of a DaemonSet, and no others until it is uncordoned', async () => {
    const { items } = await client.list(Node);
    const node = items[0]!.metadata.name;
    const key = `test.example/${unique('on')}`;
    const edit = (unschedulable: boolean | null, value: string | null) =>
      client.patch(Node, { name: node }, { metadata: { labels: { [key]: value } }, spec: { unschedulable } }, { type: 'merge' });
    onTestFinished(async () => void (await edit(null, null)));
    await edit(true, 'yes');
    const nodeSelector = { [key]: 'yes' };
    await client.create(Pod, pod(namespace, 'a', { nodeSelector }));
    await client.create(DaemonSet, daemonSet(namespace, 'daemon', { nodeSelector }));
    await becomes(DaemonSet, 'daemon', { status: { numberReady: 1 } });
    expect((await client.get(Pod, at('a')))['spec']).not.toHaveProperty('nodeName');
    await edit(null, 'yes');
    await becomes(Pod, 'a', { spec: { nodeName: node }, status: { phase: 'Running' } });
  });

  function volumeName(): string {
    const name = unique('volume');
    onTestFinished(async () => {
      await client.patch(PersistentVolume, { name }, { metadata: { finalizers: null } }, { type: 'merge' }).catch(() => {});
      await client.delete(PersistentVolume, { name }).catch(() => {});
    });
    return name;
  }
  /** A volume for the claim of this UID, whose status does not say yet that it is bound. */
  async function boundBefore(name: string, uid: string | undefined): Promise<void> {
    const made = volume(name, namespace, 'demo');
    const spec = made['spec'] as { readonly claimRef: object };
    await client.create(PersistentVolume, { ...made, spec: { ...spec, claimRef: { ...spec.claimRef, uid } } });
    await becomes(PersistentVolume, name, { status: { phase: 'Bound' } });
  }
  async function bound(): Promise<string> {
    const name = volumeName();
    await client.create(PersistentVolume, volume(name, namespace, 'demo'));
    await client.create(PersistentVolumeClaim, claim(namespace, 'demo', name));
    await becomes(PersistentVolumeClaim, 'demo', { status: { phase: 'Bound' } });
    return name;
  }
  test('a volume is free, then bound to the claim that it names and that names it', async () => {
    const name = unique('volume');
    await client.create(PersistentVolume, volume(name, namespace, 'demo'));
    await becomes(PersistentVolume, name, { status: { phase: 'Available' } });
    const { metadata } = await client.create(PersistentVolumeClaim, claim(namespace, 'demo', name));
    await becomes(PersistentVolumeClaim, 'demo', { status: { phase: 'Bound' } });
    await becomes(PersistentVolume, name, { status: { phase: 'Bound' }, spec: { claimRef: { uid: metadata.uid } } });
    await client.delete(PersistentVolumeClaim, at('demo'));
    await gone(PersistentVolumeClaim, 'demo');
    await becomes(PersistentVolume, name, { status: { phase: 'Released' } });
    await client.delete(PersistentVolume, { name });
    await gone(PersistentVolume, name);
  });
  test('a claim whose volume is still to come waits for it; the volume becomes Bound by naming its UID', async () => {
    const name = volumeName();
    const { uid } = (await client.create(PersistentVolumeClaim, claim(namespace, 'demo', name))).metadata;
    await becomes(PersistentVolumeClaim, 'demo', { status: { phase: 'Pending' } });
    await boundBefore(name, uid);
    const completed = { metadata: { uid, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } };
    await client.patch(PersistentVolumeClaim, at('demo'), completed, { type: 'merge' });
    await becomes(PersistentVolumeClaim, 'demo', { status: { phase: 'Bound' } });
  });
  test('a claim that was completed without a volume is lost, and one whose volume then names its UID is bound at its next change', async () => {
    const name = volumeName();
    const { uid } = (await client.create(PersistentVolumeClaim, claim(namespace, 'demo', name))).metadata;
    const noted = (annotations: object) =>
      client.patch(PersistentVolumeClaim, at('demo'), { metadata: { uid, annotations } }, { type: 'merge' });
    await noted({ 'pv.kubernetes.io/bind-completed': 'yes' });
    await becomes(PersistentVolumeClaim, 'demo', { status: { phase: 'Lost' } });
    await boundBefore(name, uid);
    await noted({ 'test.example/looked-at': 'again' });
    await becomes(PersistentVolumeClaim, 'demo', { status: { phase: 'Bound' } });
  });
  test('a volume that was released is free again once it remembers no claim, and takes the next', async () => {
    const name = await bound();
    await client.delete(PersistentVolumeClaim, at('demo'));
    await becomes(PersistentVolume, name, { status: { phase: 'Released' } });
    await client.create(PersistentVolumeClaim, claim(namespace, 'demo', name));
    await becomes(PersistentVolumeClaim, 'demo', { status: { phase: 'Pending' } });
    await client.patch(PersistentVolume, { name }, { spec: { claimRef: { uid: null, resourceVersion: null } } }, { type: 'merge' });
    await becomes(PersistentVolumeClaim, 'demo', { status: { phase: 'Bound' } });
    await becomes(PersistentVolume, name, { status: { phase: 'Bound' } });
  });
  test('a claim that a pod uses stays until the pod is gone', async () => {
    const name = await bound();
    await client.create(Pod, pod(namespace, 'user', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'demo' } }] }));
    await becomes(Pod, 'user', { status: { phase: 'Running' } });
    await client.delete(PersistentVolumeClaim, at('demo'));
    await client.delete(PersistentVolume, { name });
    await becomes(PersistentVolumeClaim, 'demo', { metadata: { deletionTimestamp: expect.any(String) as string } });
    await becomes(PersistentVolume, name, { metadata: { finalizers: ['kubernetes.io/pv-protection'] } });
    await client.delete(Pod, at('user'));
    await gone(PersistentVolumeClaim, 'demo');
    await gone(PersistentVolume, name);
  });
  test('a claim whose volume was deleted is lost', async () => {
    const name = await bound();
    await client.delete(PersistentVolume, { name });
    await client.patch(PersistentVolume, { name }, { metadata: { finalizers: null } }, { type: 'merge' });
    await becomes(PersistentVolumeClaim, 'demo', { status: { phase: 'Lost' } });
  });
}
