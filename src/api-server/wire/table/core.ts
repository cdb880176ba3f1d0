/** Columns of the kinds that most namespaces have, and of Nodes. Rule: kubernetes/pkg/printers/internalversion. */
import type { KubeObject } from '../../../kube/types.ts';
import { ageColumn, column, nameColumn, quantityText, type TableColumn, wide } from './columns.ts';
import { at, conditionOf, listAt, mapAt, textAt } from './read.ts';
import { labelsText } from './selectors.ts';

const sizeOf = (...maps: readonly object[]): number => maps.reduce((sum, map) => sum + Object.keys(map).length, 0);

export const namespace: readonly TableColumn[] = [nameColumn, column('Status', (object) => textAt(object, 'status', 'phase')), ageColumn];

export const configMap: readonly TableColumn[] = [
  nameColumn,
  column('Data', (object) => sizeOf(mapAt(object, 'data'), mapAt(object, 'binaryData'))),
  ageColumn,
];

export const secret: readonly TableColumn[] = [
  nameColumn,
  column('Type', (object) => textAt(object, 'type')),
  column('Data', (object) => sizeOf(mapAt(object, 'data'))),
  ageColumn,
];

export const serviceAccount: readonly TableColumn[] = [
  nameColumn,
  column('Secrets', (object) => listAt(object, 'secrets').length),
  ageColumn,
];

export const lease: readonly TableColumn[] = [
  nameColumn,
  column('Holder', (object) => textAt(object, 'spec', 'holderIdentity')),
  ageColumn,
];

/** The addresses of a load balancer. */
function ingressOf(service: KubeObject): readonly string[] {
  const points = listAt(service, 'status', 'loadBalancer', 'ingress').map((each) => textAt(each, 'ip') || textAt(each, 'hostname'));
  return [...new Set(points.filter((point) => point !== ''))].toSorted();
}

function externalIp(service: KubeObject): string {
  const external = listAt(service, 'spec', 'externalIPs').map(String);
  switch (at(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer':
      return [...ingressOf(service), ...external].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

function portText(port: unknown): string {
  const node = textAt(port, 'nodePort');
  return `${textAt(port, 'port')}${node === '' || node === '0' ? '' : `:${node}`}/${textAt(port, 'protocol')}`;
}

export const service: readonly TableColumn[] = [
  nameColumn,
  column('Type', (object) => textAt(object, 'spec', 'type')),
  column('Cluster-IP', (object) => {
    const [first] = listAt(object, 'spec', 'clusterIPs');
    return first === undefined ? '<none>' : String(first);
  }),
  column('External-IP', externalIp),
  column('Port(s)', (object) => listAt(object, 'spec', 'ports').map(portText).join(',') || '<none>'),
  ageColumn,
  wide('Selector', (object) => labelsText(mapAt(object, 'spec', 'selector'))),
];

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function rolesOf(node: KubeObject): string {
  const roles = Object.entries(mapAt(node, 'metadata', 'labels')).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return key.slice(ROLE_PREFIX.length);
    return key === 'kubernetes.io/role' ? String(value) : [];
  });
  return [...new Set(roles.filter((role) => role !== ''))].toSorted().join(',') || '<none>';
}

function nodeStatus(node: KubeObject): string {
  const ready = conditionOf(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : at(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

const addressColumn = (name: string, type: string): TableColumn =>
  wide(name, (object) => {
    const found = listAt(object, 'status', 'addresses').find((address) => at(address, 'type') === type);
    return found === undefined ? '<none>' : textAt(found, 'address');
  });
const nodeInfo = (name: string, field: string): TableColumn =>
  wide(name, (object) => textAt(object, 'status', 'nodeInfo', field) || '<unknown>');

export const node: readonly TableColumn[] = [
  nameColumn,
  column('Status', nodeStatus),
  column('Roles', rolesOf),
  ageColumn,
  column('Version', (object) => textAt(object, 'status', 'nodeInfo', 'kubeletVersion')),
  addressColumn('Internal-IP', 'InternalIP'),
  addressColumn('External-IP', 'ExternalIP'),
  nodeInfo('OS-Image', 'osImage'),
  nodeInfo('Kernel-Version', 'kernelVersion'),
  nodeInfo('Container-Runtime', 'containerRuntimeVersion'),
];

/** Use and limit of a quota's resources: of limits, or of all others. */
const quotaColumn = (name: string, ofLimits: boolean): TableColumn =>
  column(name, (object) =>
    Object.entries(mapAt(object, 'status', 'hard'))
      .filter(([resource]) => resource.startsWith('limits.') === ofLimits)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([resource, hard]) => `${resource}: ${quantityText(at(object, 'status', 'used', resource))}/${quantityText(hard)}`)
      .join(', '),
  );

export const resourceQuota: readonly TableColumn[] = [nameColumn, quotaColumn('Request', false), quotaColumn('Limit', true), ageColumn];
