import { parse } from '../../api/index.ts';
import type { Facts, PortNeed, ReferenceFact, ReferenceNeed, Role, Runtime, SecretNeed } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { FactSources } from '../../planning/facts.ts';
import { claimFact } from '../../planning/named-objects.ts';
import { dataKeys } from '../../planning/named-objects.ts';
import { workloadKind } from '../../planning/kinds.ts';
import { recordedPorts } from '../../planning/port-table.ts';
import { knownPort, livePort } from '../../planning/ports.ts';
import { fuseFact, liveEngine, liveMasters } from '../../planning/views.ts';
import type { Key } from '../../planning/key.ts';
import type { LiveObject, RuntimeObject } from '../../planning/objects.ts';
import { isUnread, type Lookup } from './lookup.ts';

/** An object that is needed and that no lookup has found. */
export interface Absent {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The condition that it must meet, if its existence is not enough. */
  readonly note?: string;
}
export interface SourceOptions {
  readonly key: Key;
  readonly object: RuntimeObject;
  readonly lookup: Lookup;
  readonly definition: Runtime;
  readonly assumeSecrets: boolean;
  /** The first free port of a range; undefined when none is free. */
  readonly allocate: (need: PortNeed) => number | undefined;
  /** The target of a reference; undefined if that is not known. */
  readonly reference: (need: ReferenceNeed) => Promise<ReferenceFact | undefined>;
  readonly onAbsent: (absent: Absent) => void;
}

/** The facts that a runtime needs, from objects, without a running controller. The same objects always give the same facts. */
export async function sourcesFrom({
  key: { namespace, name },
  object,
  lookup,
  definition,
  assumeSecrets,
  allocate,
  reference,
  onAbsent,
}: SourceOptions): Promise<FactSources> {
  const names = definition.workloads(name);
  const workload = (role: Role) => lookup.find(workloadKind(role), namespace, names[role]) as Promise<LiveObject | undefined>;
  const workloads = { master: await workload('master'), worker: await workload('worker'), fuse: await workload('fuse') };
  const engine = liveEngine(definition, object);
  const fuse = fuseFact(workloads.fuse);
  const masters = liveMasters(workloads.master, object.metadata.uid);
  const recorded = recordedPorts(object, definition);
  return {
    ...(fuse && { fuse }),
    ...(engine !== undefined && { engine }),
    ...(masters && { masters }),
    port: (need) =>
      knownPort(need, need.range, {
        recorded: recorded[need.name],
        live: livePort(need, workloads[need.in]),
        isOthers: () => false,
      }) ??
      allocate(need) ?? { reason: 'PortsExhausted', message: `no host port is left between ${need.range.join(' and ')}` },
    async secret(need: SecretNeed) {
      const { name: secret, namespace: home = namespace, inline = false } = need;
      if (assumeSecrets && !inline) return 'assumed';
      const asked = lookup.find('Secret', home, secret);
      const found = await asked.catch((error: unknown) => {
        if (inline || !isUnread(error)) throw error;
        return 'assumed' as const;
      });
      if (found === 'assumed') return found;
      if (found) return { data: dataOf(found) };
      onAbsent({ kind: 'Secret', namespace: home, name: secret, ...(inline && { note: 'since its contents are copied' }) });
      return { missing: true, retryMs: 0 };
    },
    async claim(asked) {
      const claim = await lookup.find('PersistentVolumeClaim', namespace, asked);
      const volume = claim && (await lookUpVolume(claim, lookup));
      if (claim && volume)
        return claimFact({ ...claim, metadata: { ...claim.metadata, uid: claim.metadata.uid ?? unknownUid(claim) } }, volume);
      onAbsent({
        kind: 'PersistentVolumeClaim',
        namespace,
        name: asked,
        ...(claim && { note: 'that names its PersistentVolume, and that volume' }),
      });
      return { reason: 'ClaimNotBound', message: `claim ${asked}` };
    },
    async keys(asked) {
      const found = await lookup.find('ConfigMap', namespace, asked);
      if (found) return dataKeys(found);
      onAbsent({ kind: 'ConfigMap', namespace, name: asked });
      return { reason: 'ConfigMapNotFound', message: `ConfigMap ${asked}` };
    },
    // Only a running controller knows the pods.
    pods: () => [],
    async reference(need) {
      const found = await reference(need);
      if (found) return found;
      onAbsent({ kind: 'Dataset', ...need, note: 'with its runtime, or its volume in the cluster' });
      return { reason: 'DatasetNotBound', message: `Dataset ${need.namespace}/${need.name}` };
    },
    async object(kind, asked) {
      const found = await lookup.find(kind, undefined, asked);
      const resource = definition.companions.find((companion) => companion.kind === kind);
      if (found && resource) return parse(resource, found);
      onAbsent({ kind, name: asked });
      return undefined;
    },
  };
}

/** Printed instead of the UID of an object that no cluster has. */
export const unknownUid = ({ kind, metadata: { name } }: { readonly kind: string; readonly metadata: { readonly name: string } }): string =>
  `<uid:${kind}/${name}>`;

/** Before anything was looked up. */
export const noFacts: Facts = { ports: {}, secrets: {}, claims: {}, objects: {}, configMaps: {}, pods: {} };

/** The data of a Secret as the API server returns it, in base64. */
function dataOf({ data, stringData }: KubeObject): Readonly<Record<string, string>> {
  const plain = Object.entries((stringData ?? {}) as Record<string, unknown>).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  return { ...(data as Record<string, string> | undefined), ...(Object.fromEntries(plain) as Record<string, string>) };
}

/** The volume that the claim names, else the one that names the claim. */
async function lookUpVolume(claim: KubeObject, lookup: Lookup): Promise<KubeObject | undefined> {
  const { volumeName } = (claim['spec'] ?? {}) as { readonly volumeName?: string };
  if (volumeName) return lookup.find('PersistentVolume', undefined, volumeName);
  const { name, namespace } = claim.metadata;
  return (await lookup.list('PersistentVolume')).find((volume) => {
    const { claimRef } = (volume['spec'] ?? {}) as { readonly claimRef?: { readonly name?: string; readonly namespace?: string } };
    return claimRef?.name === name && claimRef?.namespace === namespace;
  });
}
