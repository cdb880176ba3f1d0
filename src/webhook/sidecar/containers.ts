import type { Container, ContainerPort, PodSecurityContext, SecurityContext } from '../../api/index.ts';
import type { Admission } from '../admission.ts';
import { type Client, droppedVolumes, withoutVolumes } from './client.ts';
import { checkCommand, type Mounted, startCommand, stopCommand, waitCommand } from './scripts.ts';

/** How long a client may take to mount, s. The kubelet then starts it again. */
const PATIENCE = 120;
/** Where a client sees the directories of all pods of its Dataset on this node. */
const HOME = '/fluid-mounts';

/** The containers of a Dataset's fuse pod, as those of another pod. Names and volumes are still those of the DaemonSet. */
export interface ClientContainers {
  readonly client: Container;
  /** Run beside the client. */
  readonly others: readonly Container[];
  /** Run before the client. */
  readonly inits: readonly Container[];
}

/** What the containers of a client become part of. */
export interface Place {
  /** Of the user's pod. */
  readonly security: PodSecurityContext | undefined;
  /** Name of the pod's directory on the host. */
  readonly directory: string;
  readonly admission: Admission;
}

export function containersOf(client: Client, place: Place): ClientContainers {
  const dropped = droppedVolumes(client, place.admission);
  const settle = (container: Container): Container => ({
    ...withoutVolumes(container, dropped),
    ...portsOf(container, client),
    securityContext: securityOf(container, client, place),
  });
  // `clientOf` found a mount in the first.
  const [first, ...others] = client.spec.containers as [Container, ...Container[]];
  return {
    client: withHooks(settle(first), client, place),
    others: others.map(settle),
    inits: (client.spec.initContainers ?? []).map(settle),
  };
}

/** Clears the way for the mount, waits for it at the start, and removes it and its directory at the end. */
function withHooks(container: Container, client: Client, { directory, admission: { wishes, settings } }: Place): Container {
  const { mountedAt, below, volume } = client;
  const { postStart, preStop } = container.lifecycle ?? {};
  const mounted: Mounted = { path: mountedAt, subPath: volume.subPath, bare: `/${directory}${below}` };
  // A hook or probe that is no program cannot be run by ours: then it stays, and ours takes the other place.
  const canProbe = settings.nativeSidecars && (!container.startupProbe || container.startupProbe.exec !== undefined);
  const isStopped = wishes.platform === 'default' && (!preStop || preStop.exec !== undefined);
  const waits = wishes.checksClient && !canProbe && (!postStart || postStart.exec !== undefined);
  const lifecycle = {
    ...container.lifecycle,
    ...(waits && { postStart: { exec: { command: waitCommand(mounted, PATIENCE, postStart?.exec?.command) } } }),
    ...(isStopped && {
      preStop: { exec: { command: stopCommand(mounted, HOME, `${directory}${below}`, ownStop(preStop?.exec?.command, mountedAt)) } },
    }),
  };
  return {
    ...container,
    // Without a command, the image's own is run, which nobody here knows.
    ...(container.command && wishes.platform === 'default' && { command: startCommand(mounted, container.command) }),
    ...(Object.keys(lifecycle).length > 0 && { lifecycle }),
    ...(wishes.checksClient &&
      canProbe && {
        startupProbe: {
          ...(container.startupProbe ?? { periodSeconds: 1, timeoutSeconds: 5, failureThreshold: PATIENCE }),
          exec: { command: checkCommand(mounted, container.startupProbe?.exec?.command) },
        },
      }),
    ...(isStopped && {
      // Propagation: a mount of another pod that stayed here would keep that pod's client alive.
      volumeMounts: [...(container.volumeMounts ?? []), { name: HOME_VOLUME, mountPath: HOME, mountPropagation: 'HostToContainer' }],
    }),
  };
}
/** Its volume, before it gets a name of its own in the pod. */
export const HOME_VOLUME = 'fluid-mounts';

/** A hook that unmounts this very path does what ours does, and ends the client before ours could remove the directory. */
const ownStop = (command: readonly string[] = [], path: string): readonly string[] =>
  command.some((word) => word.includes(path)) ? [] : command;

function portsOf({ ports }: Container, { spec, isScraped }: Client): Pick<Container, 'ports'> {
  const kept = ports?.filter(({ name }) => isScraped || !name?.endsWith('-metrics'));
  if (!kept || kept.length === 0) return {};
  // The pod has a network of its own: its ports are not the node's.
  return { ports: spec.hostNetwork ? kept.map(withoutHostPort) : kept };
}

function withoutHostPort({ hostPort: _hostPort, ...port }: ContainerPort): ContainerPort {
  return port;
}

/** The user of a client is root, unless its container or its own pod says otherwise: never the user of the pod which it is put into. */
function securityOf({ securityContext }: Container, { spec }: Client, { security, admission }: Place): SecurityContext {
  const { runAsUser, runAsGroup, runAsNonRoot } = { runAsUser: 0, runAsGroup: 0, runAsNonRoot: false, ...spec.securityContext };
  const own = {
    ...(security?.runAsUser !== undefined && { runAsUser }),
    ...(security?.runAsGroup !== undefined && { runAsGroup }),
    ...(security?.runAsNonRoot !== undefined && { runAsNonRoot }),
    ...securityContext,
  };
  if (admission.wishes.platform === 'default') return own;
  const { add, ...capabilities } = own.capabilities ?? {};
  const kept = add?.filter((name) => name !== 'SYS_ADMIN');
  return { ...own, privileged: false, ...(own.capabilities && { capabilities: { ...capabilities, ...(kept && { add: kept }) } }) };
}
