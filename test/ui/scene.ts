/** The server of the page on an API server in memory. */
import { runtimes } from '../../runtimes/_all.gen.ts';
import { createApiServer } from '../../src/api-server/index.ts';
import { settingsOf } from '../../src/cli/settings/config.ts';
import { createPreview } from '../../src/cli/ui/preview.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { serveUi, type UiOptions } from '../../src/ui/server/server.ts';
import { guarded } from '../../src/ui/server/viewers/guarded.ts';
import { oneViewer } from '../../src/ui/server/viewers/one-viewer.ts';
import { openSight } from '../../src/ui/server/viewers/sight.ts';
import type { Viewer } from '../../src/ui/wire.ts';
import { kinds } from '../support/kinds.ts';

export const apiServer = (namespaces: readonly string[] = ['ml', 'vision']) => createApiServer({ kinds: Object.values(kinds), namespaces });
export type ApiServer = ReturnType<typeof apiServer>;

/** `sluice ui` of a user who may do everything, unless told. Stop it. */
export async function localUi(api: ApiServer, viewer: Partial<Viewer> = {}, options: Partial<UiOptions> = {}) {
  const client = api.client({ readsOnly: true });
  const everything = { mayRead: () => true };
  const viewers = oneViewer({
    sight: openSight({ name: 'ada', cluster: 'test', hidden: [], ...viewer }),
    reads: guarded(client, everything),
    edits: guarded(client, { ...everything, dryRuns: true }),
  });
  const { namespaces } = viewer;
  const server = await serveUi({
    client,
    runtimes,
    ...(namespaces && { namespaces }),
    mayList: () => true,
    viewers,
    preview: createPreview({ runtimes, settings: settingsOf({}, {}, runtimes) }),
    assets: new Map([['/', { type: 'text/html; charset=utf-8', body: Buffer.from('<!doctype html><title>page</title>') }]]),
    isLocal: true,
    port: 0,
    ...options,
  });
  return { ...server, token: viewers.token };
}

/** A Dataset with this status, and its AlluxioRuntime. */
export function pair(namespace: string, name: string, status: object = {}, runtimeStatus: object = {}): readonly KubeObject[] {
  const meta = { namespace, name };
  const apiVersion = 'data.fluid.io/v1alpha1';
  return [
    { apiVersion, kind: 'Dataset', metadata: meta, spec: { mounts: [{ mountPoint: 's3://bucket/data', name: 'data' }] }, status },
    { apiVersion, kind: 'AlluxioRuntime', metadata: meta, spec: { replicas: 1 }, status: runtimeStatus },
  ];
}
