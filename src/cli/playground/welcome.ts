import { join } from 'node:path';
import type { Playground } from '../../playground/playground.ts';

/** The lines that say how to reach a playground. */
export const welcome = (
  { kubeconfig, folder, page }: { readonly kubeconfig: string; readonly folder: string; readonly page: string | undefined },
  { url }: Playground,
  nodes: number,
  seconds: number,
  waits: boolean,
): readonly string[] => [
  `sluice: a control plane in memory serves at ${url} with ${nodes} nodes, ready in ${seconds.toFixed(1)} s`,
  'Nodes and pods are simulated: no program runs in a pod. Controller and webhook are real.',
  'Not checked: rights, quotas of anything but pods, Pod Security, and most values of Kubernetes’ own kinds: a cluster refuses more.',
  ...(page === undefined ? [] : [`The page of \`sluice ui\`, for one browser: ${page}`]),
  `Logs: ${join(folder, 'controller.log')} and webhook.log`,
  ...(waits ? [`export KUBECONFIG=${kubeconfig}`, 'Ctrl-C ends it, and nothing stays.'] : []),
];
