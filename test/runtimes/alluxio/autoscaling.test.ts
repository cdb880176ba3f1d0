/** Rules of docs/datasets.md for Prometheus and its adapter fit the rendered objects. */
import { expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import { Dataset, GROUP, type Manifest, VERSION } from '../../../src/api/index.ts';
import { adapter, autoscaler, metricsOfRule, serviceMonitor } from '../../support/autoscaling.ts';
import { given, recorded } from './given.ts';

const servicesOf = (spec: AlluxioRuntimeSpec = {}) =>
  alluxio
    .bind(given({ spec }))
    .synth('master')
    .filter(({ kind }) => kind === 'Service');
const isSelected = ({ metadata: { labels = {} } }: Manifest) =>
  Object.entries(serviceMonitor.spec.selector.matchLabels).every(([key, value]) => labels[key] === value);

test('the ServiceMonitor selects the Service of each master, and a port of it', () => {
  const services = servicesOf({ master: { replicas: 3 } });
  expect(services.filter(isSelected)).toHaveLength(3);
  const [{ port }] = serviceMonitor.spec.endpoints;
  for (const { spec } of services as unknown as readonly { spec: object }[])
    expect(spec).toMatchObject({ ports: expect.arrayContaining([expect.objectContaining({ name: port })]) as unknown });
});
test('with disablePrometheus it selects none', () => expect(servicesOf({ disablePrometheus: true }).filter(isSelected)).toEqual([]));

test('the label from which metrics get the name of their Dataset has it', () => {
  const [{ relabelings }] = serviceMonitor.spec.endpoints;
  const [{ sourceLabels, targetLabel }] = relabelings;
  const label = sourceLabels[0]?.replace('__meta_kubernetes_service_label_', '') ?? '';
  expect(servicesOf()[0]?.metadata.labels?.[label]).toBe('demo');
  expect(adapter.rules[0].resources.overrides[targetLabel]).toEqual({ group: GROUP, resource: Dataset.kind.toLowerCase() });
});
test('the rule is computed from metrics that Alluxio has, and named as the autoscaler asks for it', () => {
  const [{ name, seriesQuery }] = adapter.rules;
  expect(metricsOfRule).toEqual(['Cluster_CapacityUsed', 'Cluster_CapacityTotal']);
  for (const metric of metricsOfRule) expect(recorded('metrics.json')).toContain(`"${metric.replace('_', '.')}"`);
  expect(seriesQuery).toMatch(new RegExp(`${name.matches.slice(1, -1)}{`));
  const [{ object }] = autoscaler.spec.metrics;
  expect(object.metric.name).toBe(name.as);
  expect(object.describedObject.kind).toBe('Dataset');
  const { kind } = alluxio.resource;
  expect(autoscaler.spec.scaleTargetRef).toMatchObject({ apiVersion: `${GROUP}/${VERSION}`, kind });
});
