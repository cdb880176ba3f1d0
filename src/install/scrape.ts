import { jobs } from '../monitoring/metrics.ts';
import { type InstalledPart, selector } from './labels.ts';
import type { Settled } from './settled.ts';

/** A scrape configuration of Prometheus that finds the pods of Sluice through the API server, as its PodMonitors do. */
export const scrapeConfigs = ({
  namespace,
  monitoring,
  webhook,
}: Pick<Settled, 'namespace' | 'monitoring' | 'webhook'>): readonly object[] =>
  (['controller', 'csi', ...(webhook.enabled ? (['webhook'] as const) : [])] as const).map((part) => ({
    job_name: jobs[part],
    scrape_interval: monitoring.interval,
    metrics_path: '/metrics',
    // The namespace of a Dataset stays beside that of the pod.
    honor_labels: true,
    kubernetes_sd_configs: [{ role: 'pod', namespaces: { names: [namespace] }, selectors: [{ role: 'pod', label: labelSelector(part) }] }],
    relabel_configs: [
      { action: 'keep', source_labels: ['__meta_kubernetes_pod_container_port_name'], regex: 'metrics' },
      { action: 'drop', source_labels: ['__meta_kubernetes_pod_phase'], regex: 'Failed|Succeeded' },
      { source_labels: ['__meta_kubernetes_namespace'], target_label: 'namespace' },
      { source_labels: ['__meta_kubernetes_pod_name'], target_label: 'pod' },
      { source_labels: ['__meta_kubernetes_pod_node_name'], target_label: 'node' },
    ],
  }));

const labelSelector = (part: InstalledPart): string =>
  Object.entries(selector(part))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
