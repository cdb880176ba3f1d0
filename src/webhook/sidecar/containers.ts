import type { Container, ContainerPort, PodSpec, SecurityContext } from '../../api/index.ts';
import type { Admission } from '../admission.ts';
import { type FuseClient, droppedVolumes, withoutVolumes } from './client.ts';
import { freshNames } from './names.ts';
import { checkCommand, type ClientPath, startCommand, stopCommand, waitCommand } from './scripts.ts';

/** How long a client may take to mount, s. The kubelet then starts it again. */
const PATIENCE = 120;
/** The volume by which a client sees the directories of all pods of its Dataset on this node, and where. */
const HOME = 'fluid-mounts';

/** The containers of a Dataset's fuse pod, as those of another pod. Names and volumes are still those of the DaemonSet. */
export interface ClientContainers {
  readonly client: Container;
  /** Run beside the client. */
  readonly others: readonly Container[];
  /** Run before the client. */
  readonly inits: readonly Container[];
  /** The client's volume with the directories of all pods, if it removes its own at its end. */
  readonly home: string | undefined;
}

/** The pod, or part of one, to which the containers of a client are added. */
export interface SidecarTarget {
  /** The user's. */
  readonly pod: PodSpec;
  /** Name of the pod's directory on the host. */
  readonly directory: string;
  readonly admission: Admission;
}

export function containersOf(client: FuseClient, place: SidecarTarget): ClientContainers {
  const dropped = droppedVolumes(client, place.admission);
  const settle = ({ ports, resizePolicy: _forAnotherRestartPolicy, ...container }: Container): Container => ({
    ...withoutVolumes(container, dropped, place.admission),
    ...portsOf(ports, client, place),
    securityContext: securityOf(container, client, place),
  });
  // `clientOf` found a mount in the first.
  const [first, ...others] = client.spec.containers as [Container, ...Container[]];
  const home = freshNames((client.spec.volumes ?? []).map(({ name }) => name)).take(HOME);
  const hooked = withHooks(settle(first), client, place, home);
  return {
    client: hooked,
    others: others.map(settle),
    inits: (client.spec.initContainers ?? []).map(settle),
    home: hooked.volumeMounts?.some(({ name }) => name === home) ? home : undefined,
  };
}

/** Clears the way for the mount, waits for it at the start, and removes it and its directory at the end. */
function withHooks(
  container: Container,
  client: FuseClient,
  { directory, admission: { injection, settings } }: SidecarTarget,
  home: string,
): Container {
  const { mountedAt, below, volume } = client;
  const { postStart, preStop } = container.lifecycle ?? {};
  const mounted: ClientPath = { path: mountedAt, subPath: volume.subPath, bare: `/${directory}${below}` };
  // A hook or probe that is no program cannot be run by ours: then it stays, and ours takes the other place.
  const canProbe = settings.nativeSidecars && (!container.startupProbe || container.startupProbe.exec !== undefined);
  const isStopped = injection.platform === 'default' && (!preStop || preStop.exec !== undefined);
  const waits = injection.checksClient && !canProbe && (!postStart || postStart.exec !== undefined);
  const homePath = freshNames((container.volumeMounts ?? []).map(({ mountPath }) => mountPath)).take(`/${HOME}`);
  const lifecycle = {
    ...container.lifecycle,
    ...(waits && { postStart: { exec: { command: waitCommand(mounted, PATIENCE, postStart?.exec?.command) } } }),
    ...(isStopped && {
      preStop: { exec: { command: stopCommand(mounted, homePath, `${directory}${below}`, ownStop(preStop?.exec?.command, mountedAt)) } },
    }),
  };
  return {
    ...container,
    // Without a command, the image's own is run, which nobody here knows.
    ...(container.command && injection.platform === 'default' && { command: startCommand(mounted, container.command) }),
    ...(Object.keys(lifecycle).length > 0 && { lifecycle }),
    ...(injection.checksClient &&
      canProbe && {
        startupProbe: {
          ...(container.startupProbe ?? { periodSeconds: 1, timeoutSeconds: 5, failureThreshold: PATIENCE }),
          exec: { command: checkCommand(mounted, container.startupProbe?.exec?.command) },
        },
      }),
    ...(isStopped && {
      // Propagation: a mount of another pod that stayed here would keep that pod's client alive.
      volumeMounts: [...(container.volumeMounts ?? []), { name: home, mountPath: homePath, mountPropagation: 'HostToContainer' }],
    }),
  };
}

/** A hook that unmounts this very path does what ours does, and ends the client before ours could remove the directory. */
const ownStop = (command: readonly string[] = [], path: string): readonly string[] =>
  command.some((word) => word.includes(path)) ? [] : command;

/** The pod has a network of its own, or one where the ports of the node may be taken: a port of the client is never the node's. */
function portsOf(ports: Container['ports'], { isScraped }: FuseClient, { pod }: SidecarTarget): Pick<Container, 'ports'> {
  const kept = pod.hostNetwork ? [] : (ports ?? []).filter(({ name }) => isScraped || !name?.endsWith('-metrics'));
  return kept.length === 0 ? {} : { ports: kept.map(withoutHostPort) };
}

function withoutHostPort({ hostPort: _hostPort, ...port }: ContainerPort): ContainerPort {
  return port;
}

/** Capabilities that let a container mount. */
const PRIVILEGES: ReadonlySet<string> = new Set(['SYS_ADMIN', 'CAP_SYS_ADMIN', 'ALL']);

/** The user of a client is root, unless its container or its own pod says otherwise: never the user of the pod which it is put into. */
function securityOf(
  { securityContext }: Pick<Container, 'securityContext'>,
  { spec }: FuseClient,
  { pod, admission }: SidecarTarget,
): SecurityContext {
  const security = pod.securityContext;
  const { runAsUser, runAsGroup, runAsNonRoot } = { runAsUser: 0, runAsGroup: 0, runAsNonRoot: false, ...spec.securityContext };
  const own = {
    ...(security?.runAsUser !== undefined && { runAsUser }),
    ...(security?.runAsGroup !== undefined && { runAsGroup }),
    ...(security?.runAsNonRoot !== undefined && { runAsNonRoot }),
    ...securityContext,
  };
  if (admission.injection.platform === 'default') return own;
  const { add, ...capabilities } = own.capabilities ?? {};
  const kept = add?.filter((name) => !PRIVILEGES.has(name));
  return { ...own, privileged: false, ...(own.capabilities && { capabilities: { ...capabilities, ...(kept && { add: kept }) } }) };
}
