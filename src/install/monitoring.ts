import { App, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import type { Manifest } from '../api/index.ts';
import { PlainObject } from '../constructs/index.ts';
import { alertGroups } from '../monitoring/alerts/all.ts';
import { boards } from '../monitoring/boards.gen.ts';
import { jobs } from '../monitoring/metrics.ts';
import { ruleGroups } from '../monitoring/rules.ts';
import { labels, selector } from './labels.ts';
import type { Settled } from './settled.ts';

const API = 'monitoring.coreos.com/v1';

/** Objects of the Prometheus operator, which say what is scraped and which alerts follow, and boards for the sidecar of Grafana. */
export class Monitoring extends Construct {
  constructor(scope: Construct, options: Settled) {
    super(scope, 'monitoring');
    const { namespace, monitoring, webhook } = options;
    const parts: readonly (keyof typeof jobs)[] = ['controller', 'csi', ...(webhook.enabled ? (['webhook'] as const) : [])];
    for (const part of parts)
      new PlainObject(this, part, {
        apiVersion: API,
        kind: 'PodMonitor',
        metadata: { name: jobs[part], namespace, labels: { ...monitoring.labels, ...labels() } },
        spec: {
          selector: { matchLabels: selector(part) },
          podMetricsEndpoints: [
            {
              port: 'metrics',
              path: '/metrics',
              interval: monitoring.interval,
              // The namespace of a Dataset stays beside that of the pod.
              honorLabels: true,
              relabelings: [
                { targetLabel: 'job', replacement: jobs[part] },
                { sourceLabels: ['__meta_kubernetes_pod_node_name'], targetLabel: 'node' },
              ],
            },
          ],
        },
      });
    new PlainObject(this, 'rules', {
      apiVersion: API,
      kind: 'PrometheusRule',
      metadata: { name: 'sluice', namespace, labels: { ...monitoring.labels, ...labels() } },
      spec: { groups: ruleGroups(alertGroups(options)) },
    });
    for (const [name, text] of Object.entries(boardsOf(options)))
      new PlainObject(this, `board-${name}`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: boardMapOf(name),
          namespace: monitoring.boardNamespace ?? namespace,
          labels: { ...monitoring.boardLabels, ...labels() },
        },
        data: { [`sluice-${name}.json`]: text },
      });
  }
}

/** The boards of what is installed, as JSON, by their names. */
export function boardsOf({ webhook }: Pick<Settled, 'webhook'>): Readonly<Record<string, string>> {
  const { webhook: ofWebhook, ...others } = boards;
  return webhook.enabled ? { ...others, webhook: ofWebhook } : others;
}
const BOARDS = 'sluice-board-';
const boardMapOf = (name: string): string => `${BOARDS}${name}`;
/** Whether a ConfigMap of this name has a board. */
export const isBoard = (name: string): boolean => name.startsWith(BOARDS);

/** These objects alone, beside an installation without them. */
export function monitoringObjects(options: Settled): readonly Manifest[] {
  const chart = new Chart(new App(), 'monitoring', { disableResourceNameHashes: true });
  new Monitoring(chart, options);
  return chart.toJson() as Manifest[];
}
