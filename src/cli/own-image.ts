import type { k8s } from '../api/index.ts';
import type { InstalledPart } from '../install/labels.ts';
import type { KubeClient } from '../kube/contract.ts';
import { mayPass } from '../kube/errors.ts';
import type { Log } from '../kube/types.ts';
import { Pod } from '../planning/kinds.ts';
import { messageOf } from './errors.ts';
import { until } from './reconcile/preflight.ts';

/**
 * The image of the pod in which this program runs, by MY_POD_NAME and MY_POD_NAMESPACE: it is right whoever has renamed the image in the
 * manifests, such as kustomize or an admission webhook. Undefined outside of a pod, and with a warning if the pod cannot be read.
 *
 * @param part the container's name in an installation; else the first container counts
 */
export async function imageOfPod(
  client: KubeClient,
  env: Readonly<Record<string, string | undefined>>,
  part: InstalledPart,
  log: Log,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { MY_POD_NAME: name, MY_POD_NAMESPACE: namespace } = env;
  if (!name || !namespace) return undefined;
  let image: string | undefined;
  await until(signal, log, async () => {
    try {
      const pod = await client.get(Pod, { name, namespace }, { signal, retries: 0 });
      // The cast: what the API server returns has the shape of its kind.
      const { containers } = pod['spec'] as k8s.PodSpec;
      image = (containers.find((each) => each.name === part) ?? containers[0])?.image;
    } catch (error) {
      if (signal.aborted || mayPass(error)) throw error;
      log.warn(
        { pod: `${namespace}/${name}`, error: messageOf(error) },
        'cannot read its own pod, and so not its image: SLUICE_IMAGE names it',
      );
    }
    return true;
  });
  return image;
}
