import { App, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import type { Manifest } from '../api/index.ts';
import { PlainObject } from '../constructs/index.ts';
import { alertGroups } from '../monitoring/alerts/all.ts';
import { jobs } from '../monitoring/metrics.ts';
import { ruleGroups } from '../monitoring/rules.ts';
import { labels, selector } from './labels.ts';
import type { Settled } from './settled.ts';

const API = 'monitoring.coreos.com/v1';

/** Objects of the Prometheus operator: which pods are scraped, and which alerts follow. */
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
  }
}

/** These objects alone, beside an installation without them. */
export function monitoringObjects(options: Settled): readonly Manifest[] {
  const chart = new Chart(new App(), 'monitoring', { disableResourceNameHashes: true });
  new Monitoring(chart, options);
  return chart.toJson() as Manifest[];
}
