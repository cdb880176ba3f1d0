import { setTimeout as pause } from 'node:timers/promises';
import type { KubeClient } from '../../src/kube/contract.ts';
import { isAlreadyExists, isNotFound } from '../../src/kube/errors.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';

const POLL_MS = 25;
const PATIENCE_MS = 60_000;

export async function createIfAbsent(client: KubeClient, type: ResourceType, object: KubeObject): Promise<boolean> {
  try {
    await client.create(type, object);
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

export const find = (
  client: KubeClient,
  type: ResourceType,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): Promise<KubeObject | undefined> =>
  client
    .get(type, { ...(type.namespaced && { namespace }), name })
    .catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)));

export function ignoreAbsent(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

export async function until(signal: AbortSignal, holds: () => Promise<boolean>, what: string, patienceMs = PATIENCE_MS): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    signal.throwIfAborted();
    if (performance.now() - began > patienceMs) throw new Error(`waited ${patienceMs / 1000} s, without success, until ${what}`);
    await pause(POLL_MS);
  }
}

/** Stops waiting when aborted; the work goes on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return Promise.race([
    work,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })),
  ]);
}

/** The namespace of an installed Sluice if one exists: that then serves our Datasets, and our controller stands by. */
export async function leaseNamespace(client: KubeClient, otherwise: string): Promise<string> {
  const installed = await find(client, Namespace, { name: 'fluid-system' });
  return installed ? 'fluid-system' : otherwise;
}

export const Namespace: ResourceType = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };

export interface Status {
  readonly phase?: string;
  readonly ufsTotal?: string;
  readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberReady?: number;
}
export const statusOf = (object: KubeObject | undefined): Status => (object?.['status'] ?? {}) as Status;
export const phaseOf = (object: KubeObject | undefined): string => statusOf(object).phase ?? '';

export function stateOf(object: KubeObject): string {
  const { phase, replicas, readyReplicas = 0, desiredNumberScheduled = 0, numberReady = 0 } = statusOf(object);
  if (object.kind === 'StatefulSet') return `${readyReplicas}/${replicas} ready`;
  if (object.kind === 'DaemonSet')
    return desiredNumberScheduled === 0 ? 'no pod until an application mounts the claim' : `${numberReady}/${desiredNumberScheduled} ready`;
  return phase ?? '';
}

/** As `kubectl get` prints it: the API server makes the table. */
export async function table(client: KubeClient, path: string): Promise<readonly string[]> {
  const { columnDefinitions, rows } = (await client.raw('GET', path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })) as {
    readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
    readonly rows: readonly { readonly cells: readonly unknown[] }[];
  };
  const shown = columnDefinitions.map(({ priority }, i) => ({ priority, i })).filter(({ priority }) => priority === 0);
  const lines = [
    columnDefinitions.map(({ name }) => name.toUpperCase()),
    ...rows.map(({ cells }) => cells.map((cell) => String(cell ?? ''))),
  ];
  const widths = shown.map(({ i }) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)));
  return lines.map((cells) =>
    shown
      .map(({ i }, column) => (cells[i] ?? '').padEnd((widths[column] ?? 0) + 3))
      .join('')
      .trimEnd(),
  );
}
