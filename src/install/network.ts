import type { Construct } from 'constructs';
import { KubeObject } from '../constructs/index.ts';
import { labels, type Part, selector } from './labels.ts';

/** Over a network, pods of this part can be asked how they do, and nothing else. What they reach for is the API server, whose address no selector knows. */
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
