import { label } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { LAST_APPLIED } from '../../src/planning/kinds.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import { Refusal } from '../../src/api-server/refusals.ts';
import type { Deed } from './plan.ts';
import { LEASE, nodeOf, type World } from './world.ts';

const OWNER = label.owner;
/** Objects that the controller created. */
export const oursOf = (server: ApiServer): readonly KubeObject[] => server.all().filter(({ metadata }) => metadata.labels?.[OWNER]);

/** Carries out what a user or an operator does, unless the server refuses it: the namespace may be gone. */
export function does(deed: Deed, world: World): void {
  try {
    act(deed, world);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function act(deed: Deed, { server }: World): void {
  switch (deed.does) {
    case 'create': {
      const { kind, metadata } = deed.object;
      const there = server.get(kind, metadata.namespace, metadata.name);
      // As `kubectl apply` does.
      const annotations = { ...metadata.annotations, [LAST_APPLIED]: 'first' };
      const object = { ...deed.object, metadata: { ...metadata, annotations } };
      if (!there) server.objects.create(server.typeOf(kind), metadata.namespace, object, { manager: 'kubectl' });
      return;
    }
    case 'edit': {
      const at = {
        type: server.typeOf(deed.kind),
        namespace: server.typeOf(deed.kind).namespaced ? deed.namespace : undefined,
        name: deed.name,
      };
      if (server.get(deed.kind, at.namespace, deed.name)) server.objects.patch(at, 'merge', deed.patch, { manager: 'kubectl' });
      return;
    }
    case 'delete':
      return server.delete(deed.kind, deed.namespace, deed.name);
    case 'lose':
    case 'vandalize':
    case 'disown':
    case 'forge': {
      // Secrets are not watched: one that a user deletes comes back with the next pass, or after five minutes, and worlds do not last as long.
      const ours = oursOf(server).filter(({ kind }) => kind !== 'Secret');
      const object = ours[deed.which % Math.max(1, ours.length)];
      if (!object) return;
      const { kind, metadata } = object;
      if (deed.does === 'lose') return server.delete(kind, metadata.namespace, metadata.name);
      const at = { type: server.typeOf(kind), namespace: metadata.namespace, name: metadata.name };
      if (deed.does === 'forge') {
        const copy = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace: 'elsewhere', name: 'forged', labels: { [OWNER]: metadata.labels?.[OWNER] ?? '' } },
        };
        if (!server.get('Pod', 'elsewhere', 'forged')) forgePod(server);
        if (!server.get('ConfigMap', 'elsewhere', 'forged'))
          server.objects.create(server.typeOf('ConfigMap'), 'elsewhere', copy, { manager: 'kubectl' });
        return;
      }
      const labels = deed.does === 'disown' ? { [OWNER]: 'nobody' } : { 'fluid.io/dataset-id': 'x' };
      return void server.objects.patch(at, 'merge', { metadata: { labels } }, { manager: 'kubectl' });
    }
    case 'free the lease':
      return server.delete('Lease', LEASE.namespace, LEASE.name);
    case 'namespace': {
      if (deed.is === 'removed') return server.delete('Namespace', undefined, deed.name);
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: deed.name } };
      return void server.objects.create(server.typeOf('Namespace'), undefined, namespace, { manager: 'kubectl' });
    }
    case 'node': {
      const node = server.get('Node', undefined, deed.name);
      if (deed.is === 'added' && !node) server.put(nodeOf(deed.name));
      if (deed.is === 'removed') server.delete('Node', undefined, deed.name);
      if (deed.is === 'tainted' && node) server.put({ ...node, spec: { taints: [{ key: 'busy', effect: 'NoExecute' }] } });
      if (deed.is === 'free' && node) server.put({ ...node, spec: {} });
    }
  }
}

/** A pod of another namespace that says that a workload of a runtime is its controller. */
function forgePod(server: ApiServer): void {
  const set = server.all('StatefulSet').find(({ metadata }) => metadata.labels?.[OWNER]);
  if (!set) return;
  const { name, uid = '', labels = {} } = set.metadata;
  const { template } = set['spec'] as { template: { metadata?: { labels?: object }; spec: object } };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'elsewhere',
      name: 'forged',
      labels: { ...labels, ...template.metadata?.labels, 'controller-revision-hash': 'forged' },
      ownerReferences: [{ apiVersion: set.apiVersion, kind: set.kind, name, uid, controller: true }],
    },
    spec: template.spec,
  };
  server.objects.create(server.typeOf('Pod'), 'elsewhere', pod as KubeObject, { manager: 'kubectl' });
}
