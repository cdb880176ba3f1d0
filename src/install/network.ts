import type { Construct } from 'constructs';
import { PlainObject } from '../constructs/index.ts';
import { labels, type InstalledPart, selector } from './labels.ts';
import type { Settled } from './settled.ts';

/**
 * Lets pods of this part receive requests on these ports and on `metrics` only, on the latter from scrapers alone if there are any. Egress is
 * open: it is the API server, which no selector can name. The kubelet's probes come from the node, which always may.
 */
export const ingressOnly = (
  scope: Construct,
  name: string,
  { namespace, monitoring: { scrapers = [] } }: Pick<Settled, 'namespace' | 'monitoring'>,
  part: InstalledPart,
  ports: readonly string[] = [],
): PlainObject =>
  new PlainObject(scope, 'network', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels: labels(part) },
    spec: {
      podSelector: { matchLabels: selector(part) },
      policyTypes: ['Ingress'],
      ingress:
        scrapers.length === 0
          ? [{ ports: [...ports, METRICS].map(tcp) }]
          : [...(ports.length > 0 ? [{ ports: ports.map(tcp) }] : []), { ports: [tcp(METRICS)], from: scrapers }],
    },
  });

const METRICS = 'metrics';
const tcp = (port: string) => ({ port, protocol: 'TCP' });
