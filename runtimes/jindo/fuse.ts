import { environment, literal, mountedAt, type PlanInput } from '../../src/constructs/index.ts';
import { addressList } from './masters.ts';
import type { Source } from './mounts.ts';
import { type Input, MOUNT_AT, MOUNT_DIR, type Parts, podOf, runAsUser, volumesOf } from './pod.ts';
import { containerPort, hasMetrics, type Ports } from './ports.ts';
import type { JindoRuntimeSpec } from './spec.ts';

const DEVICE = mountedAt('/dev/fuse', 'jindofs-fuse-device', { hostPath: { path: '/dev/fuse', type: 'CharDevice' } });

export function fusePod(input: Input, parts: Parts) {
  const { spec, namespace } = input;
  const { engine, masters, ports, tier, images, config, access, native, isFuseOnly, args, metricsPort } = parts;
  const { nodeSelector: _, ...pod } = podOf(input, 'fuse');
  const { volumes, volumeMounts } = volumesOf(engine, 'fuse', config, [DEVICE], tier.fuse, access, native);
  return {
    ...pod,
    podAnnotations: { ...pod.podAnnotations, ...(isScraped(input) && { 'prometheus.fuse.fluid.io/scrape': 'true' }) },
    volumes,
    sidecar: { caches: tier.fuse.map(({ volume }) => volume.name) },
    container: {
      image: images.fuse.image,
      imagePullPolicy: images.fuse.imagePullPolicy,
      args,
      env: [
        ...(masters.length > 0 ? [{ name: 'CLIENT_NAMESPACE_RPC_ADDRESS', value: addressList(masters, namespace, ports.master) }] : []),
        ...runAsUser(spec),
        { name: 'FLUID_FUSE_MOUNTPOINT', value: `${MOUNT_AT}/${MOUNT_DIR}` },
        { name: 'FLUID_FUSE_MODE', value: isFuseOnly ? 'fuseOnly' : '' },
        ...environment(spec.fuse?.env),
      ],
      ports: metricsPort === undefined ? [] : [containerPort('metrics', metricsPort)],
      resources: spec.fuse?.resources,
      volumeMounts,
    },
  };
}

/** Metadata is kept for two hours where nothing changes. */
const READ_ONLY = ['-okernel_cache', '-oro', '-oattr_timeout=7200', '-oentry_timeout=7200', '-onegative_timeout=7200'];
const WRITABLE = ['-oauto_cache', '-oattr_timeout=0', '-oentry_timeout=0', '-onegative_timeout=0'];
const METRICS = '-ometrics_port=';
const URI = '-ouri=';

/** The facts from which the call of a client follows. */
interface Call {
  readonly ports: Ports;
  readonly sources: readonly Source[];
  readonly readOnly: boolean;
  readonly isFuseOnly: boolean;
}

/** How the client is called, and where it offers metrics. */
export function fuseCall(input: PlanInput<JindoRuntimeSpec>, { ports, sources, readOnly, isFuseOnly }: Call): FuseCall {
  const { spec, runtime } = input;
  const isCache = runtime.engine === 'jindocache';
  const said = spec.fuse?.args ?? [];
  const own = said.length > 0 ? said : [...(readOnly ? READ_ONLY : WRITABLE), ...(isCache && sources.length <= 1 ? ['-ono_symlink'] : [])];
  const port = said.find((arg) => arg.startsWith(METRICS))?.slice(METRICS.length) ?? String(hasMetrics(input) ? ports.metrics : 0);
  const args = [
    ...own,
    // Without masters, the client reads the store itself.
    ...(isFuseOnly && !own.some((arg) => arg.startsWith(URI)) ? [`${URI}${sources[0]?.source}`] : []),
    ...((isCache || said.length === 0) && !own.some((arg) => arg.startsWith(METRICS)) ? [`${METRICS}${port}`] : []),
  ];
  const metricsPort = Number(port);
  return {
    args: args.map(literal),
    ...(hasMetrics(input) && Number.isInteger(metricsPort) && metricsPort > 0 && metricsPort < 65536 && { metricsPort }),
  };
}
interface FuseCall {
  readonly args: readonly string[];
  readonly metricsPort?: number;
}

/** Whether Prometheus reads the metrics of fuse pods. The webhook goes by the same field for sidecars. */
const isScraped = ({ spec, runtime }: Pick<PlanInput<JindoRuntimeSpec>, 'spec' | 'runtime'>): boolean =>
  hasMetrics({ spec, runtime }) &&
  (spec.fuse?.metrics?.scrapeTarget ?? '').split(',').some((each) => ['All', 'MountPod'].includes(each.trim()));
