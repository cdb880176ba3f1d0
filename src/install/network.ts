import type { Construct } from 'constructs';
import { KubeObject } from '../constructs/index.ts';
import { labels, type Part, selector } from './labels.ts';

/** Lets pods of this part receive requests on these ports only. Egress is open: it is the API server, which no selector can name. */
export const ingressOnly = (scope: Construct, name: string, namespace: string, part: Part, ports: readonly string[]): KubeObject =>
  new KubeObject(scope, 'network', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels: labels(part) },
    spec: {
      podSelector: { matchLabels: selector(part) },
      policyTypes: ['Ingress'],
      ingress: [{ ports: ports.map((port) => ({ port, protocol: 'TCP' })) }],
    },
  });
