/** The manifests of docs/datasets.md that scale an Alluxio by the use of its cache. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/kube/types.ts';

interface ServiceMonitor extends KubeObject {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly endpoints: readonly [
      {
        readonly port: string;
        readonly path: string;
        readonly relabelings: readonly [{ readonly sourceLabels: readonly string[]; readonly targetLabel: string }];
      },
    ];
  };
}
interface AdapterRules {
  readonly rules: readonly [
    {
      readonly seriesQuery: string;
      readonly resources: { readonly overrides: Readonly<Record<string, { readonly group?: string; readonly resource: string }>> };
      readonly name: { readonly matches: string; readonly as: string };
      readonly metricsQuery: string;
    },
  ];
}
interface Autoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly apiVersion: string; readonly kind: string };
    readonly metrics: readonly [
      { readonly object: { readonly describedObject: { readonly kind: string }; readonly metric: { readonly name: string } } },
    ];
  };
}

const page = readFileSync(join(import.meta.dirname, '../../docs/datasets.md'), 'utf8');
const [section = ''] = /^## Scaling workers by the use of the cache$.*?(?=^## )/ms.exec(page) ?? [];
const parsed: readonly unknown[] = [...section.matchAll(/^ {3}```yaml\n(.*?)^ {3}```$/gms)].map(([, text = '']) => parse(text));

// The cast: the tests that use them fail if the page has others.
export const [serviceMonitor, adapter, autoscaler] = parsed as [ServiceMonitor, AdapterRules, Autoscaler];
/** Metrics of Alluxio from which the rule is computed. */
export const metricsOfRule: readonly string[] = [...new Set(adapter.rules[0].metricsQuery.match(/Cluster_\w+/g))];
