/** A real Prometheus, with the scrape configuration and the rules that are shipped. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { alertGroups } from '../../src/monitoring/alerts/all.ts';
import type { Time } from '../../src/monitoring/alerts/alert.ts';
import { ruleGroups } from '../../src/monitoring/rules.ts';
import { scrapeConfigs } from '../../src/install/scrape.ts';
import type { Settled } from '../../src/install/settled.ts';
import { freePorts } from '../control-plane/ports.ts';
import { prometheusProgram } from '../tools/debs.ts';
import { type Program, startProgram } from './processes.ts';

/** A pod as the API server would name it, and where its process listens. */
export interface Target {
  readonly job: string;
  readonly pod: string;
  readonly node: string;
  readonly port: number;
}

export interface Prometheus {
  /** Replaces the pods that it scrapes, as it would see them through the API server. */
  targets(targets: readonly Target[]): void;
  /** The answer to an instant query: labels and value of each series. */
  query(expr: string): Promise<readonly { readonly metric: Readonly<Record<string, string>>; readonly value: number }[]>;
  /** Names of the alerts that fire now, with their summaries. */
  firing(): Promise<readonly { readonly name: string; readonly summary: string }[]>;
  stop(): Promise<void>;
}

interface Options {
  readonly folder: string;
  readonly settled: Settled;
  readonly time: Time;
  /** Seconds between scrapes, and between evaluations of rules. */
  readonly interval: number;
  /** Certificate and key of a user who may read the metrics of the API server, and its address. */
  readonly apiServer?: { readonly address: string; readonly ca: string; readonly cert: string; readonly key: string };
}

const NAMESPACE = 'fluid-system';

export async function startPrometheus({ folder, settled, time, interval, apiServer }: Options): Promise<Prometheus> {
  mkdirSync(folder, { recursive: true });
  const [port = 0] = await freePorts(1);
  const seconds = `${interval}s`;
  // Debian's program knows no API server: files of targets have the same labels, and the rest of the configuration is used as it is.
  const configs = scrapeConfigs(settled).map((config) => {
    const { kubernetes_sd_configs: _, ...rest } = config as { readonly job_name: string; readonly kubernetes_sd_configs: object };
    return { ...rest, scrape_interval: seconds, file_sd_configs: [{ files: [`${rest.job_name}.json`], refresh_interval: '1s' }] };
  });
  const ofApiServer = apiServer && {
    job_name: 'apiserver',
    scheme: 'https',
    tls_config: { ca_file: apiServer.ca, cert_file: apiServer.cert, key_file: apiServer.key },
    static_configs: [{ targets: [apiServer.address] }],
    metric_relabel_configs: [{ action: 'keep', source_labels: ['__name__'], regex: 'apiserver_admission_webhook_fail_open_count' }],
  };
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, `${name}.new`), text);
    renameSync(join(folder, `${name}.new`), join(folder, name));
  };
  write('rules.yaml', stringify({ groups: ruleGroups(alertGroups(settled, time)) }));
  write(
    'prometheus.yaml',
    stringify({
      global: { scrape_interval: seconds, scrape_timeout: seconds, evaluation_interval: seconds },
      rule_files: ['rules.yaml'],
      scrape_configs: [...configs, ...(ofApiServer ? [ofApiServer] : [])],
    }),
  );
  const program: Program = startProgram(
    [
      prometheusProgram('prometheus'),
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--web.console.templates=${folder}`,
      `--web.console.libraries=${folder}`,
    ],
    { log: join(folder, 'prometheus.log') },
  );
  await program.says('Server is ready to receive web requests');
  const ask = async (path: string): Promise<unknown> => {
    const answer = (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as { status: string; error?: string; data: unknown };
    if (answer.status !== 'success') throw new Error(`Prometheus refused ${decodeURIComponent(path)}: ${answer.error}`);
    return answer.data;
  };
  return {
    targets(targets) {
      for (const { job_name: job } of configs)
        write(
          `${job}.json`,
          JSON.stringify(
            targets
              .filter((each) => each.job === job)
              .map(({ pod, node, port: at }) => ({
                targets: [`127.0.0.1:${at}`],
                labels: {
                  __meta_kubernetes_namespace: NAMESPACE,
                  __meta_kubernetes_pod_name: pod,
                  __meta_kubernetes_pod_node_name: node,
                  __meta_kubernetes_pod_container_port_name: 'metrics',
                  __meta_kubernetes_pod_phase: 'Running',
                },
              })),
          ),
        );
    },
    async query(expr) {
      const data = (await ask(`/api/v1/query?query=${encodeURIComponent(expr)}`)) as {
        readonly result: readonly { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] }[];
      };
      return data.result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    },
    async firing() {
      const data = (await ask('/api/v1/alerts')) as {
        readonly alerts: readonly {
          readonly state: string;
          readonly labels: Readonly<Record<string, string>>;
          readonly annotations: Readonly<Record<string, string>>;
        }[];
      };
      return data.alerts.flatMap(({ state, labels, annotations }) =>
        state === 'firing' ? [{ name: labels['alertname'] ?? '', summary: annotations['summary'] ?? '' }] : [],
      );
    },
    stop: () => program.stop('SIGKILL'),
  };
}
