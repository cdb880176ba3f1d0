import type { Container, Volume } from '../../api/index.ts';
import { clientName, sidecar } from '../../api/sidecars.ts';
import type { Admission, DatasetUse } from '../admission.ts';
import { Denied } from '../denied.ts';
import { annotationsOf, type Pod, volumesOf, withAnnotations, withLabels, withSpec } from '../pod.ts';
import { type Client, clientOf, droppedVolumes } from './client.ts';
import { type ClientContainers, containersOf, HOME_VOLUME } from './containers.ts';
import { directoryOf } from './directory.ts';
import { type FreshNames, freshNames, nextNumber } from './names.ts';

/** For Prometheus: read the metrics of this pod's client. */
const SCRAPE = 'prometheus.fuse.fluid.io/scrape';

/**
 * The pod with the client of one Dataset, and with the host directory where that client mounts in place of the Dataset's claim.
 * @throws Denied if the Dataset cannot be used yet, its client cannot be a sidecar, or an init container could not see its data
 */
export function withClient(pod: Pod, use: DatasetUse, admission: Admission): Pod {
  const client = clientOf(use, admission);
  const { spec } = pod;
  const volumes = volumesOf(pod, new Set([use.claim]));
  const directory = directoryOf(pod, admission.random());
  const placed = containersOf(client, { security: spec.securityContext, directory, admission });
  const number = nextNumber([...(spec.initContainers ?? []), ...spec.containers]);
  const carried = carriedInto(pod, client, placed, number, directory, admission);

  const read = readFrom(pod, volumes, `${client.home.hostPath}/${directory}${client.below}`, client.volume.subPath);
  const uses = (container: Container) => container.volumeMounts?.some(({ name }) => volumes.has(name)) ?? false;
  const isRead = spec.containers.some(uses);
  const early = (spec.initContainers ?? []).find(uses);
  if (early && !admission.settings.nativeSidecars)
    throw new Denied(
      `init container ${early.name} reads Dataset ${use.dataset.identity.namespace}/${use.dataset.identity.name}, whose client would start ` +
        'after it. It can read if FUSE_SIDECAR_INJECTION_MODE of the webhook is native-sidecar',
    );
  if (!isRead && !early) return read;

  const { initContainers = [], containers } = read.spec;
  const { clients, inits } = carried;
  const always = clients.map((each) => ({ ...each, restartPolicy: 'Always' }));
  const withContainers = admission.settings.nativeSidecars
    ? { initContainers: [...inits, ...always, ...initContainers], containers }
    : {
        ...((inits.length > 0 || read.spec.initContainers) && { initContainers: [...inits, ...initContainers] }),
        containers: [...clients, ...containers],
      };
  const secrets = spec.imagePullSecrets ?? [];
  const moreSecrets = (client.spec.imagePullSecrets ?? []).filter(({ name }) => !secrets.some((each) => each.name === name));
  const injected = withSpec(read, {
    ...withContainers,
    volumes: [...(read.spec.volumes ?? []), ...carried.volumes],
    ...(moreSecrets.length > 0 && { imagePullSecrets: [...secrets, ...moreSecrets] }),
  });
  return described(injected, client, use, clientName(number));
}

/** The volumes of a claim as this directory of the host, from which a mount propagates into every container that reads there. */
function readFrom(pod: Pod, volumes: ReadonlySet<string>, path: string, subPath: string): Pod {
  const { volumes: all = [], containers, initContainers } = pod.spec;
  const readOnly = new Set(
    all.filter(({ name, persistentVolumeClaim }) => volumes.has(name) && persistentVolumeClaim?.readOnly).map(({ name }) => name),
  );
  const each = (container: Container): Container =>
    container.volumeMounts
      ? {
          ...container,
          volumeMounts: container.volumeMounts.map((mount) =>
            volumes.has(mount.name)
              ? { ...mount, mountPropagation: 'HostToContainer', ...(readOnly.has(mount.name) && { readOnly: true }) }
              : mount,
          ),
        }
      : container;
  const hostPath = { path: subPath === '' ? path : `${path}/${subPath}` };
  return withSpec(pod, {
    volumes: all.map((volume) => (volumes.has(volume.name) ? { name: volume.name, hostPath } : volume)),
    containers: containers.map(each),
    ...(initContainers && { initContainers: initContainers.map(each) }),
  });
}

interface Carried {
  /** The client first. */
  readonly clients: readonly Container[];
  readonly inits: readonly Container[];
  readonly volumes: readonly Volume[];
}

/** The containers under names that the pod does not have, with the volumes that they mount. */
function carriedInto(
  { spec }: Pod,
  client: Client,
  { client: first, others, inits }: ClientContainers,
  number: number,
  directory: string,
  admission: Admission,
): Carried {
  const dropped = droppedVolumes(client, admission);
  const mounted = new Set([first, ...others, ...inits].flatMap(({ volumeMounts }) => volumeMounts?.map(({ name }) => name) ?? []));
  const own: Volume[] = (client.spec.volumes ?? []).filter(({ name }) => mounted.has(name) && !dropped.has(name));
  const home: Volume = { name: HOME_VOLUME, hostPath: { path: client.home.hostPath, type: 'DirectoryOrCreate' } };
  const volumes = (mounted.has(HOME_VOLUME) ? [...own, home] : own).map((volume) =>
    volume.name === client.home.name
      ? { ...volume, hostPath: { ...home.hostPath, path: `${client.home.hostPath}/${directory}`, type: 'DirectoryOrCreate' } }
      : volume,
  );
  const fresh = freshNames((spec.volumes ?? []).map(({ name }) => name));
  const names = new Map(volumes.map(({ name }) => [name, fresh.take(`${name}-${number}`)]));
  const renamed = (name: string) => names.get(name) ?? name;
  const containers: FreshNames = freshNames([...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name));
  const named = (container: Container, name: string): Container => ({
    ...container,
    name: containers.take(name),
    ...(container.volumeMounts && { volumeMounts: container.volumeMounts.map((mount) => ({ ...mount, name: renamed(mount.name) })) }),
    ...(container.volumeDevices && { volumeDevices: container.volumeDevices.map((device) => ({ ...device, name: renamed(device.name) })) }),
  });
  const prefix = clientName(number);
  return {
    clients: [named(first, prefix), ...others.map((each) => named(each, `${prefix}-${each.name}`))],
    inits: inits.map((each) => named(each, `${prefix}-${each.name}`)),
    volumes: volumes.map((volume) => ({ ...volume, name: renamed(volume.name) })),
  };
}

function described(pod: Pod, { isScraped }: Client, { dataset: { identity } }: DatasetUse, container: string): Pod {
  const labelled = withLabels(pod, {
    [`${sidecar.datasetName}${container}`]: identity.name,
    [`${sidecar.datasetNamespace}${container}`]: identity.namespace,
  });
  return isScraped && annotationsOf(pod)[SCRAPE] === undefined ? withAnnotations(labelled, { [SCRAPE]: 'true' }) : labelled;
}
