import type { Construct } from 'constructs';
import { KubeObject } from '../constructs/index.ts';
import { labels, type Part, selector } from './labels.ts';

/** Lets pods of this part receive requests on the metrics port only. Egress is open: it is the API server, which no selector can name. */
export const metricsOnly = (scope: Construct, name: string, namespace: string, part: Part): KubeObject =>
  new KubeObject(scope, 'network', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels: labels(part) },
    spec: {
      podSelector: { matchLabels: selector(part) },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 'metrics', protocol: 'TCP' }] }],
    },
  });
