import { environment, literal, mountedAt, sh, podBase, volumesOf } from '../../src/constructs/index.ts';
import { imageFor, type Input } from './pod.ts';
import { fuseVariables, type WorkerOptions } from './options.ts';

export const MOUNT_DIR = 'vineyard-fuse';
const MARKER = '/tmp/prestop-marker';
/** Files that clients of this and of earlier versions put beside the configuration. */
const SOCKETS = ['vineyard.sock', 'vineyard-worker.sock', 'vineyard-local.sock'];

interface Parts {
  readonly endpoints: string;
  readonly options: WorkerOptions;
  readonly hostPath: string;
  readonly mountPath: string;
  /** The ConfigMap with the addresses of all workers. */
  readonly rpcConf: string;
}

/**
 * The client: no file system, but the socket of the server on its node, and a configuration for applications. The addresses of the workers
 * are mounted below the directory that applications see: that mount shows the node plugin that the client has started.
 */
export function fusePod(input: Input, { endpoints, options, hostPath, mountPath, rpcConf }: Parts) {
  const { spec } = input;
  const config = `${mountPath}/rpc-conf`;
  const { volumes, volumeMounts } = volumesOf([mountedAt(config, 'vineyard-rpc-conf', { configMap: { name: rpcConf } })]);
  const fixed = { MOUNT_DIR: hostPath, FUSE_DIR: mountPath, RPC_CONF_DIR: config, PRESTOP_MARKER: MARKER };
  const users = spec.fuse?.env ?? {};
  const said = fuseVariables(input, { endpoints, prefix: options.prefix });
  return {
    ...podBase(spec, spec.fuse),
    volumes,
    terminationGracePeriodSeconds: 60,
    sidecar: { caches: [], refused: 'Vineyard needs the socket of a server on its node' },
    container: {
      ...imageFor('fuse', input),
      // A name has one value: that of the user's variable, else that of the option.
      env: [...entries(without(fixed, said, users)), ...environment(literals(without(said, users))), ...environment(users)],
      resources: spec.fuse?.resources,
      volumeMounts,
      lifecycle: {
        preStop: {
          exec: {
            command: [
              'sh',
              '-c',
              // The mount stays on the node otherwise, once for each time that the container was started, and no later fuse pod can start
              // then. Lazily, since pods of users may have files of it open.
              sh`touch ${MARKER}; rm -f ${SOCKETS.map((name) => `${mountPath}/${name}`)}; while umount -l ${config}; do :; done; true`,
            ],
          },
        },
      },
    },
  };
}

type Texts = Readonly<Record<string, string>>;
const without = (map: Texts, ...others: readonly Texts[]): Texts =>
  Object.fromEntries(Object.entries(map).filter(([name]) => !others.some((other) => name in other)));
const entries = (map: Texts) => Object.entries(map).map(([name, value]) => ({ name, value }));
const literals = (map: Texts): Texts => Object.fromEntries(Object.entries(map).map(([name, value]) => [name, literal(value)]));
