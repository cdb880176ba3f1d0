import type { Container, SecurityContext } from '../../api/index.ts';
import { clientNumber, sidecar } from '../../api/sidecars.ts';
import type { WebhookSettings } from '../admission.ts';
import type { Pod } from '../pod.ts';
import { DATA, type FileList } from './file-list.ts';
import { checkCommand, waitCommand } from './scripts.ts';
import type { PrefetchOptions } from './options.ts';

export const STATUS_VOLUME = 'fluid-file-prefetcher-status-vol';
/** The text that the prefetcher writes when it has read everything. */
const STATUS = `${sidecar.prefetcherStatus}/prefetcher.status`;

/** The container that reads the files. */
export function prefetcherOf(pod: Pod, files: FileList, options: PrefetchOptions, settings: WebhookSettings): Container {
  const { image, isAsync, timeoutSeconds, extraEnvs } = options;
  const isOurs = settings.prefetcher.isOurs && (image === undefined || image === settings.prefetcher.image);
  const securityContext = securityOf(pod, isOurs);
  return {
    name: sidecar.prefetcher,
    image: image ?? settings.prefetcher.image,
    ...(isOurs && { args: ['prefetch'] }),
    env: [
      { name: 'FILE_PREFETCHER_FILE_LIST', value: literal(files.patterns.join(';')) },
      { name: 'FILE_PREFETCHER_ASYNC_PREFETCH', value: String(isAsync) },
      { name: 'FILE_PREFETCHER_TIMEOUT_SECONDS', value: String(timeoutSeconds) },
      ...extraEnvs,
    ],
    ...(securityContext && { securityContext }),
    volumeMounts: [
      ...files.volumes.map((name) => ({ name, mountPath: `${DATA}/${name}`, mountPropagation: 'HostToContainer' })),
      { name: STATUS_VOLUME, mountPath: sidecar.prefetcherStatus },
    ],
    ...(settings.nativeSidecars && { restartPolicy: 'Always' }),
    ...(!isAsync && waiting(timeoutSeconds, settings)),
  };
}

/** Holds the containers after it back until the files are read. The kubelet can end a pod while a probe fails, and not while a hook runs. */
const waiting = (seconds: number, { nativeSidecars }: WebhookSettings): Partial<Container> =>
  nativeSidecars
    ? {
        startupProbe: {
          exec: { command: checkCommand(STATUS, seconds, `${sidecar.prefetcherStatus}/probes`) },
          periodSeconds: 1,
          timeoutSeconds: 5,
          // The check itself ends the wait.
          failureThreshold: seconds + 60,
        },
      }
    : { lifecycle: { postStart: { exec: { command: waitCommand(STATUS, seconds) } } } };

/**
 * Files are read as root, as in Fluid, unless the pod says as whom. The image of Sluice has another user. A pod of which no container runs as
 * root may be in a namespace with the Pod Security level `restricted`, which a further container must not break.
 */
function securityOf({ spec }: Pod, isOurs: boolean): SecurityContext | undefined {
  const { runAsUser, runAsNonRoot, seccompProfile } = spec.securityContext ?? {};
  const own = spec.containers.filter(({ name }) => clientNumber(name) === undefined).map(({ securityContext }) => securityContext);
  if (own.length > 0 && own.every((each) => (each?.runAsNonRoot ?? runAsNonRoot) === true)) {
    const user = own.find((each) => each?.runAsUser !== undefined);
    return {
      runAsNonRoot: true,
      ...(user?.runAsUser !== undefined && { runAsUser: user.runAsUser }),
      ...(user?.runAsGroup !== undefined && { runAsGroup: user.runAsGroup }),
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      ...(!seccompProfile && { seccompProfile: { type: 'RuntimeDefault' } }),
    };
  }
  return isOurs && runAsUser === undefined && runAsNonRoot !== true ? { runAsUser: 0, runAsGroup: 0 } : undefined;
}

/** The kubelet replaces `$(NAME)` in values. */
const literal = (text: string): string => text.replaceAll('$', '$$$$');
