import { type Manifest, NODE_DAEMONS } from '../../src/api/index.ts';
import { type Installed, type Mounted, mountedAt } from '../../src/constructs/index.ts';
import { images } from './images.ts';

/** `RollingUpdate` (default) or `OnDelete`. */
export const UPDATE_STRATEGY = 'EFC_SESSMGR_UPDATE_STRATEGY_ENV';

/** All of it is named as in Fluid, so that `sluice install` continues a session manager that Fluid installed. */
const NAMESPACE = 'efc-system';
const NAME = 'efc-sessmgr';
const SELECTOR = { app: NAME };
/** Where masters, clients and session managers expect the socket. */
const SOCKET_DIRECTORY = '/var/run/efc';

/** Host directory with the socket, `sessmgrd.sock`. */
export const sessionDirectory = (mountRoot: string): string => `${mountRoot}/efc-sock`;

/** The socket directory: the node's for a client, its own for a master. */
export const socketMounted = (mountRoot: string | undefined): Mounted =>
  // The session manager creates it too. A client that finds no directory would not start before the kubelet's next try.
  mountedAt(
    SOCKET_DIRECTORY,
    'efc-sock',
    mountRoot === undefined ? { emptyDir: {} } : { hostPath: { path: sessionDirectory(mountRoot), type: 'DirectoryOrCreate' } },
  );

/** The session manager: one pod on each node that has clients, for the clients of all EFCRuntimes. */
export const sessionManager = (installed: Installed): readonly Manifest[] =>
  installed.daemons.includes('efc') ? [namespace, daemon(installed)] : [];

const namespace: Manifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  // The daemon's pods load a kernel module, which no lower level allows.
  metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
};

const daemon = ({ mountRoot, env, registry, imagePullSecrets }: Installed): Manifest => {
  const settings = { env, ...(registry !== undefined && { registry }) };
  const { volume, mount } = socketMounted(mountRoot);
  const container = { command: ['/entrypoint.sh'], terminationMessagePolicy: 'FallbackToLogsOnError' };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: NAME, namespace: NAMESPACE },
    spec: {
      selector: { matchLabels: SELECTOR },
      updateStrategy: { type: env[UPDATE_STRATEGY] ?? 'RollingUpdate' },
      template: {
        metadata: { labels: SELECTOR, annotations: { 'sidecar.istio.io/inject': 'false' } },
        spec: {
          hostNetwork: true,
          enableServiceLinks: false,
          // As clients: without it none of them can mount.
          priorityClassName: 'system-node-critical',
          nodeSelector: { [NODE_DAEMONS.efc.nodeLabel]: 'true' },
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'type', operator: 'NotIn', values: ['virtual-kubelet'] }] }],
              },
            },
          },
          tolerations: [{ operator: 'Exists' }],
          ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
          initContainers: [
            {
              ...container,
              name: 'init-fuse',
              image: images.of('initFuse', settings).image,
              args: ['init_fuse', 'false', 'none'],
              securityContext: { privileged: true },
            },
          ],
          containers: [
            {
              ...container,
              name: 'sessmgr',
              image: images.of('sessionManager', settings).image,
              args: ['sessmgr'],
              securityContext: { privileged: false },
              lifecycle: { preStop: { exec: { command: ['sh', '-c', '/entrypoint.sh stop_sessmgr'] } } },
              volumeMounts: [mount],
            },
          ],
          volumes: [volume],
        },
      },
    },
  };
};
