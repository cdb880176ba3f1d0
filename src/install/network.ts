import type { Construct } from 'constructs';
import { PlainObject } from '../constructs/index.ts';
import { labels, type InstalledPart, selector } from './labels.ts';

/** Lets pods of this part receive requests on these ports only. Egress is open: it is the API server, which no selector can name. */
export const ingressOnly = (
  scope: Construct,
  name: string,
  namespace: string,
  part: InstalledPart,
  ports: readonly string[],
): PlainObject =>
  new PlainObject(scope, 'network', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels: labels(part) },
    spec: {
      podSelector: { matchLabels: selector(part) },
      policyTypes: ['Ingress'],
      ingress: [{ ports: ports.map((port) => ({ port, protocol: 'TCP' })) }],
    },
  });
