import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { Manifest } from '../../../src/api/index.ts';
import { sluice } from '../run.ts';

async function installed(values: string, ...flags: readonly string[]): Promise<readonly Manifest[]> {
  const { code, stdout, stderr } = await sluice(['install', '--image', 'sluice:1', '--values', '-', '-o', 'json', ...flags], {
    input: values,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { readonly items: readonly Manifest[] }).items;
}
const watching = (objects: readonly Manifest[]) => objects.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com/'));
/** The five boards, by the name of their ConfigMap. */
const boardsIn = (objects: readonly Manifest[]) =>
  objects.filter(({ kind, metadata: { name } }) => kind === 'ConfigMap' && name.startsWith('sluice-board-'));
const named = (objects: readonly Manifest[]) => objects.map(({ kind, metadata: { name } }) => `${kind}/${name}`);
const ingress = (objects: readonly Manifest[]) =>
  Object.fromEntries(
    objects.flatMap((each) =>
      each.kind === 'NetworkPolicy' ? [[each.metadata.name, (each as unknown as { spec: { ingress: object } }).spec.ingress]] : [],
    ),
  );
async function written(...flags: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-monitoring-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { code, stdout, stderr } = await sluice(['monitoring', folder, ...flags]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/: \d+ files that watch Sluice in /);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /[.](yaml|json)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

describe('sluice install --monitoring', () => {
  test('adds a PodMonitor for each part and the alerts, with the labels of the values', async () => {
    expect(watching(await installed(''))).toEqual([]);
    const objects = watching(await installed('monitoring: { labels: { release: prom }, interval: 15s }', '--monitoring'));
    expect(named(objects)).toEqual([
      'PodMonitor/sluice-controller',
      'PodMonitor/sluice-csi',
      'PodMonitor/sluice-webhook',
      'PrometheusRule/sluice',
    ]);
    expect(new Set(objects.map(({ metadata: { labels } }) => labels?.['release']))).toEqual(new Set(['prom']));
    expect(objects[0]).toMatchObject({ spec: { podMetricsEndpoints: [{ port: 'metrics', interval: '15s', honorLabels: true }] } });
  });
  test('asks nothing of a webhook that is not installed', async () => {
    const objects = watching(await installed('', '--monitoring', '--no-webhook'));
    expect(named(objects)).not.toContain('PodMonitor/sluice-webhook');
    expect(JSON.stringify(objects)).not.toContain('sluice_webhook_');
  });
  test('adds the boards where the values say, with the label of the sidecar of Grafana', async () => {
    expect(boardsIn(await installed(''))).toEqual([]);
    const boards = boardsIn(await installed('monitoring: { boardNamespace: grafana }', '--monitoring'));
    expect(boards.map(({ metadata: { name, namespace, labels } }) => `${namespace}/${name} ${labels?.['grafana_dashboard']}`)).toEqual(
      ['fleet', 'dataset', 'operations', 'node-plugin', 'webhook'].map((name) => `grafana/sluice-board-${name} 1`),
    );
    const own = boardsIn(
      await installed('monitoring: { boardLabels: { grafana_dashboard: null, board: "yes" } }', '--monitoring', '--no-webhook'),
    );
    expect(named(own)).not.toContain('ConfigMap/sluice-board-webhook');
    expect(own[0]?.metadata).toMatchObject({ namespace: 'fluid-system', labels: { board: 'yes' } });
    expect(own[0]?.metadata.labels).not.toHaveProperty('grafana_dashboard');
  });
  test('selects the pods of its parts', async () => {
    const objects = await installed('', '--monitoring');
    for (const monitor of objects.filter(({ kind }) => kind === 'PodMonitor')) {
      const { selector } = (monitor as unknown as { spec: { selector: { matchLabels: object } } }).spec;
      const workloads = objects.filter(
        (each) => ['Deployment', 'DaemonSet'].includes(each.kind) && each.metadata.name === monitor.metadata.name,
      );
      expect(workloads).toMatchObject([
        {
          spec: {
            template: {
              metadata: { labels: selector.matchLabels },
              spec: { containers: [{ ports: expect.arrayContaining([expect.objectContaining({ name: 'metrics' })]) }] },
            },
          },
        },
      ]);
    }
  });
});

describe('monitoring.scrapers', () => {
  const metrics = { port: 'metrics', protocol: 'TCP' };
  const webhook = { port: 'webhook', protocol: 'TCP' };
  test('are all pods by default', async () =>
    expect(ingress(await installed(''))).toEqual({
      'sluice-controller': [{ ports: [metrics] }],
      'sluice-csi': [{ ports: [metrics] }],
      'sluice-webhook': [{ ports: [webhook, metrics] }],
    }));
  test('alone reach the port metrics, while API servers reach that of the webhook', async () => {
    const from = [{ namespaceSelector: { matchLabels: { team: 'watch' } } }];
    expect(ingress(await installed(`monitoring: { scrapers: ${JSON.stringify(from)} }`))).toEqual({
      'sluice-controller': [{ ports: [metrics], from }],
      'sluice-csi': [{ ports: [metrics], from }],
      'sluice-webhook': [{ ports: [webhook] }, { ports: [metrics], from }],
    });
  });
  test('have the fields of a peer', async () => {
    const { code, stderr } = await sluice(['install', '--image', 'x', '--values', '-'], {
      input: 'monitoring: { scrapers: [{ pods: {} }] }',
    });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('monitoring.scrapers[0].pods') });
  });
});

describe('sluice monitoring', () => {
  test('writes what install --monitoring adds, and the same rules for a Prometheus without its operator', async () => {
    const files = await written('--namespace', 'data-system', '--validation');
    const objects = parseAllDocuments(files['sluice-operator.yaml'] ?? '').map((each) => each.toJS() as Manifest);
    const added = await installed('', '--monitoring', '--namespace', 'data-system', '--validation');
    expect(objects).toEqual([...watching(added), ...boardsIn(added)]);
    const texts = Object.fromEntries(
      boardsIn(added).flatMap((each) => Object.entries((each as unknown as { data: Record<string, string> }).data)),
    );
    expect(Object.keys(texts)).toHaveLength(5);
    for (const [name, text] of Object.entries(texts)) expect(JSON.parse(files[`boards/${name}`] ?? '')).toEqual(JSON.parse(text));
    const rule = objects.find(({ kind }) => kind === 'PrometheusRule') as unknown as { readonly spec: object };
    expect(parse(files['sluice-rules.yaml'] ?? '')).toEqual(rule.spec);
  });
  test('writes a scrape configuration that finds the same pods as the PodMonitors, with the same labels', async () => {
    const files = await written('--namespace', 'data-system', '--no-webhook');
    const { scrape_configs: configs } = parse(files['sluice-scrape.yaml'] ?? '') as { readonly scrape_configs: readonly object[] };
    expect(configs).toMatchObject(
      ['controller', 'csi'].map((part) => ({
        job_name: `sluice-${part}`,
        honor_labels: true,
        kubernetes_sd_configs: [
          {
            namespaces: { names: ['data-system'] },
            selectors: [{ role: 'pod', label: `app.kubernetes.io/name=sluice,app.kubernetes.io/component=${part}` }],
          },
        ],
      })),
    );
  });
  test('reports wrong values as install does', async () => {
    const { code, stderr } = await sluice(['monitoring', '/nowhere', '--values', '-'], { input: 'monitoring: { interval: soon }' });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('monitoring.interval') });
  });
});
