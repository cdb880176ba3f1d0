import type { Container, ContainerStatus } from '../../api/index.ts';

/** Fields of containers that newer API servers have: kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restart-rules. */
interface OwnPolicy {
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly {
    readonly action: string;
    readonly exitCodes?: { readonly operator: string; readonly values?: readonly number[] };
  }[];
}

/**
 * Whether a container has ended and the kubelet will not start it again. After a failure under OnFailure it will: its client must be there
 * then. Fluid stops the client for any exit code.
 */
export function hasEnded(container: Container, status: Pick<ContainerStatus, 'state'> | undefined, podPolicy: string): boolean {
  const exitCode = status?.state?.terminated?.exitCode;
  if (exitCode === undefined) return false;
  const { restartPolicy = podPolicy, restartPolicyRules = [] } = container as Container & OwnPolicy;
  const isMeant = ({ exitCodes }: NonNullable<OwnPolicy['restartPolicyRules']>[number]) =>
    exitCodes === undefined || (exitCodes.values ?? []).includes(exitCode) === (exitCodes.operator === 'In');
  if (restartPolicyRules.some((rule) => rule.action.startsWith('Restart') && isMeant(rule))) return false;
  return restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && exitCode === 0);
}
