import type { Container, PodSpec } from '../../api/index.ts';
import { clientName, sidecar } from '../../api/sidecars.ts';
import type { Admission, DatasetUse } from '../admission.ts';
import { Denied } from '../denied.ts';
import { annotationsOf, type Pod, volumesOf, withAnnotations, withLabels, withSpec } from '../pod.ts';
import { type Carried, carriedInto } from './carried.ts';
import { type FuseClient, clientOf } from './client.ts';
import { containersOf } from './containers.ts';
import { directoryOf } from './directory.ts';
import { nextNumber } from './names.ts';
import { podResources } from './pod-resources.ts';
import { readFrom } from './reading.ts';

/** For Prometheus: read the metrics of this pod's client. */
const SCRAPE = 'prometheus.fuse.fluid.io/scrape';

/**
 * The pod with the client of one Dataset, and with the host directory where that client mounts in place of the Dataset's claim.
 * @throws Denied if the Dataset cannot be used yet, its client cannot be a sidecar, or an init container could not see its data
 */
export function withClient(pod: Pod, use: DatasetUse, admission: Admission): Pod {
  const { spec } = pod;
  const { identity } = use.dataset;
  const { nativeSidecars } = admission.settings;
  const client = clientOf(use, admission);
  const volumes = volumesOf(pod, new Set([use.claim]));
  const directory = directoryOf(pod, admission.random());
  const path = `${client.home.hostPath}/${directory}${client.below}`;
  const read = readFrom(pod, volumes, path, client.volume.subPath);
  const uses = (container: Container) => container.volumeMounts?.some(({ name }) => volumes.has(name)) ?? false;
  const early = (spec.initContainers ?? []).find(uses);
  if (early && !nativeSidecars)
    throw new Denied(
      `init container ${early.name} reads Dataset ${identity.namespace}/${identity.name}, whose client would start after it. It can read ` +
        'if FUSE_SIDECAR_INJECTION_MODE of the webhook is native-sidecar',
    );
  // The kubelet mounts the volumes of a pod, read or not; so the claim goes in any case.
  if (!early && !spec.containers.some(uses)) return read;
  const placed = containersOf(client, { pod: spec, directory, admission });
  const number = nextNumber([...(spec.initContainers ?? []), ...spec.containers]);
  const carried = carriedInto(pod, client, placed, number, directory);
  const injected = withSpec(read, {
    ...containersWith(read.spec, carried, nativeSidecars),
    ...podResources(spec.resources, carried.clients),
    volumes: [...(read.spec.volumes ?? []), ...carried.volumes],
    ...pullSecrets(spec, client.spec),
  });
  return described(injected, client, use, clientName(number));
}

/** Native sidecars are init containers that go on: Kubernetes starts them before the others, and stops them last. */
function containersWith({ initContainers, containers }: Pod['spec'], { clients, inits }: Carried, isNative: boolean) {
  const always = clients.map((each) => ({ ...each, restartPolicy: 'Always' }));
  const before = isNative ? [...inits, ...always] : inits;
  return {
    ...((before.length > 0 || initContainers) && { initContainers: [...before, ...(initContainers ?? [])] }),
    containers: isNative ? containers : [...clients, ...containers],
  };
}

function pullSecrets({ imagePullSecrets = [] }: Pod['spec'], client: PodSpec): Pick<PodSpec, 'imagePullSecrets'> {
  const more = (client.imagePullSecrets ?? []).filter(({ name }) => !imagePullSecrets.some((each) => each.name === name));
  return more.length > 0 ? { imagePullSecrets: [...imagePullSecrets, ...more] } : {};
}

function described(pod: Pod, { isScraped }: FuseClient, { dataset: { identity } }: DatasetUse, container: string): Pod {
  const labelled = withLabels(pod, {
    [`${sidecar.datasetName}${container}`]: identity.name,
    [`${sidecar.datasetNamespace}${container}`]: identity.namespace,
  });
  return isScraped && annotationsOf(pod)[SCRAPE] === undefined ? withAnnotations(labelled, { [SCRAPE]: 'true' }) : labelled;
}
