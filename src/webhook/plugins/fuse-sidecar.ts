import { claimName } from '../../api/names.ts';
import { label } from '../../api/labels.ts';
import type { Admission, DatasetUse, MutationPlugin } from '../admission.ts';
import { Denied } from '../denied.ts';
import { annotationsOf, type Pod, withAnnotations, withLabels } from '../pod.ts';
import { injectionKeys } from '../injection-options.ts';
import { withApplicationChecks } from '../sidecar/application.ts';
import { withClient } from '../sidecar/inject.ts';
import { withoutArguments } from './arguments.ts';

/** More clients than that are no pod but an attack, or clients that use one another in a circle. */
const MOST = 64;

/** Puts the FUSE client of each Dataset that a pod uses into the pod, so that the pod needs no CSI plugin on its node. */
export const fuseSidecar: MutationPlugin = {
  name: 'FuseSidecar',
  givesSidecars: true,
  configure: withoutArguments((pod, admission) => {
    if (!admission.uses.some(isOwnClaim)) {
      admission.warn('the pod asks for sidecars and mounts no Dataset: it gets none');
      return pod;
    }
    requireMounts(pod);
    const injected = withApplicationChecks(injectedInto(pod, admission), pod, admission);
    return withLabels(withDefaultContainer(injected, pod), { [injectionKeys.done]: 'true', [label.managedBy]: 'fluid' });
  }),
};

/** In such a pod the client would not run, or its mount would reach no other container, and an application would read an empty directory. */
function requireMounts({ spec }: Pod): void {
  if (spec.os?.name === 'windows') throw new Denied('spec.os.name: expected linux, where FUSE clients run, found windows');
  if (spec.hostUsers === false)
    throw new Denied('spec.hostUsers: expected true or nothing: a mount in a user namespace reaches no other container, found false');
}

/** `kubectl logs` and `kubectl exec` choose the first container, which is a client where sidecars are no init containers. */
function withDefaultContainer(injected: Pod, { spec }: Pod): Pod {
  const [own] = spec.containers;
  if (!own || injected.spec.containers[0]?.name === own.name || annotationsOf(injected)[DEFAULT_CONTAINER] !== undefined) return injected;
  return withAnnotations(injected, { [DEFAULT_CONTAINER]: own.name });
}
/** Kubernetes' own: kubernetes.io/docs/reference/labels-annotations-taints. */
const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

/** Clients may themselves use Datasets, whose clients then start before them. */
function injectedInto(pod: Pod, admission: Admission): Pod {
  let injected = pod;
  let clients = 0;
  for (let uses = admission.uses.filter(isOwnClaim); uses.length > 0; uses = admission.usesOf(injected).filter(isOwnClaim)) {
    clients += uses.length;
    if (clients > MOST)
      throw new Denied(
        `expected at most ${MOST} sidecars, found more: ${namesOf(uses)} and others. Do Datasets read one another in a circle?`,
      );
    injected = uses.reduce((each, use) => withClient(each, use, admission), injected);
  }
  return injected;
}

/** Not a claim that a Dataset caches, which carries its label too: who mounts that wants the storage itself. */
const isOwnClaim = ({ claim, dataset }: DatasetUse): boolean => claim === claimName(dataset.identity);

const namesOf = (uses: readonly DatasetUse[]): string =>
  uses
    .slice(0, 3)
    .map(({ dataset: { identity } }) => `${identity.namespace}/${identity.name}`)
    .join(', ');
