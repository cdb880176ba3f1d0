import type { Container } from '../../api/index.ts';
import { clientNumber, sidecar } from '../../api/sidecars.ts';
import type { Admission, MutationPlugin } from '../admission.ts';
import { Denied } from '../denied.ts';
import { type Pod, withAnnotations, withLabels, withSpec } from '../pod.ts';
import { prefetcherOf, STATUS_VOLUME } from '../prefetch/container.ts';
import { fileListOf } from '../prefetch/file-list.ts';
import { prefetchKeys, prefetchOptionsOf, wantsPrefetch } from '../prefetch/options.ts';
import { withoutArguments } from './arguments.ts';

/** Puts a container into a pod that reads files of its Datasets, so that they are in the memory of the node when the application starts. */
export const filePrefetcher: MutationPlugin = {
  name: 'FilePrefetcher',
  configure: withoutArguments((pod, admission) => {
    if (!wantsPrefetch(pod)) return pod;
    if (pod.spec.os?.name === 'windows') {
      admission.warn('no files are prefetched: spec.os.name is windows, and the prefetcher runs on Linux');
      return pod;
    }
    try {
      return withPrefetcher(pod, admission);
    } catch (error) {
      // A hint never denies: the application reads its files all the same.
      if (!(error instanceof Denied) || admission.injection.mode === 'serverless') throw error;
      admission.warn(`no files are prefetched: ${error.message}`);
      return pod;
    }
  }),
};

/** @throws Denied for an annotation that is wrong */
function withPrefetcher(pod: Pod, { uses, settings, injection: { mode }, warn }: Admission): Pod {
  const options = prefetchOptionsOf(pod);
  const files = fileListOf(pod, uses, options.fileList);
  if (files.patterns.length === 0) {
    warn(`no files are prefetched: metadata.annotations[${prefetchKeys.fileList}] names none in a Dataset that the pod mounts`);
    return pod;
  }
  const { containers, initContainers = [], volumes = [] } = pod.spec;
  if ([...initContainers, ...containers].some(({ name }) => name === sidecar.prefetcher))
    throw new Denied(`spec.containers: expected no ${sidecar.prefetcher} of the user's in a pod that asks for one, found one`);
  if (volumes.some(({ name }) => name === STATUS_VOLUME))
    throw new Denied(`spec.volumes: expected no ${STATUS_VOLUME} of the user's in a pod that asks for a prefetcher, found one`);
  const prefetcher = prefetcherOf(pod, files, options, settings);
  const others = options.isAsync ? containers.map(withStatus) : containers;
  const changed = withSpec(pod, {
    ...(settings.nativeSidecars
      ? { initContainers: afterClients(initContainers, prefetcher), containers: others }
      : { containers: afterClients(others, prefetcher) }),
    volumes: [...volumes, { name: STATUS_VOLUME, emptyDir: {} }],
  });
  const done = withAnnotations(changed, { [prefetchKeys.done]: 'true' });
  // By this label the controller finds the pods whose sidecars it has to stop. Those with clients get it anyway.
  const isForController = mode === 'serverful' && !settings.nativeSidecars && pod.spec.restartPolicy !== 'Always';
  return isForController ? withLabels(done, { [sidecar.done]: 'true' }) : done;
}

const isClient = ({ name }: Container): boolean => clientNumber(name) !== undefined;

/** Clients that are put in later come before it. */
function afterClients(containers: readonly Container[], prefetcher: Container): Container[] {
  const at = containers.findLastIndex(isClient) + 1;
  return [...containers.slice(0, at), prefetcher, ...containers.slice(at)];
}

/** Lets an application see when its files are read, if it does not wait for that. */
function withStatus(container: Container): Container {
  const { volumeMounts = [] } = container;
  if (isClient(container) || volumeMounts.some(({ mountPath }) => mountPath === sidecar.prefetcherStatus)) return container;
  return { ...container, volumeMounts: [...volumeMounts, { name: STATUS_VOLUME, mountPath: sidecar.prefetcherStatus }] };
}
