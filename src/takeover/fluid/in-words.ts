import { some } from '../../planning/some.ts';
import type { FluidInstallation } from './installation.ts';
import { isInstalled } from './installation.ts';

/** The installation in words, a sentence a part. */
export function installationInWords(fluid: FluidInstallation): readonly string[] {
  const { namespace, deployments, nodePlugin, webhook, leases, release, gitOps, versions } = fluid;
  if (!isInstalled(fluid)) return [`Fluid is not installed: namespace ${namespace} has none of its controllers, node plugins and Leases.`];
  const running = deployments.filter(({ replicas, pods }) => replicas > 0 || pods.length > 0);
  const holders = leases.filter(({ holder }) => holder !== '');
  return [
    `Fluid ${versions.length === 0 ? 'of an unknown version' : versions.join(', ')} in namespace ${namespace}.`,
    running.length === 0
      ? 'None of its Deployments runs.'
      : `Deployments that run: ${running.map(({ name, replicas, pods }) => `${name} (${pods.filter(({ isReady }) => isReady).length} of ${replicas} ready)`).join(', ')}.`,
    ...(nodePlugin
      ? [
          `Node plugin: ${count(nodePlugin.pods.length, 'pod')}, ${nodePlugin.pods.filter(({ isReady }) => isReady).length} ready${nodePlugin.object ? '' : '; its DaemonSet does not exist'}.`,
        ]
      : ['Node plugin: none.']),
    webhook.configuration ? `Webhook: MutatingWebhookConfiguration ${webhook.configuration.metadata.name}.` : 'Webhook: none.',
    ...(holders.length > 0 ? [`Leases that are held: ${some(holders.map(({ name, holder }) => `${name} (${holder})`))}.`] : []),
    ...(release
      ? [
          `Helm: release ${release.namespace}/${release.name}${release.chartVersion ? `, chart ${release.chartVersion}` : ''}, ${count(release.records.length, 'record')}.`,
        ]
      : []),
    ...gitOps.map(
      ({ tool, kind, namespace: where, name, isPaused }) =>
        `${tool}: ${kind} ${where ? `${where}/` : ''}${name}, ${isPaused === undefined ? 'of which nothing can be read' : isPaused ? 'paused' : 'not paused'}.`,
    ),
  ];
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
