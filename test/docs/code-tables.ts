/** The tables of what the code has: flags, rights, limits, reasons, metrics. */
import { runtimes } from '../../runtimes/_all.gen.ts';
import { buildRows, processRows, tallyRows, watchRows, workRows } from '../../src/api/metrics/controller.ts';
import { eventRows, extentRows, figureRows, fluidRows } from '../../src/api/metrics/dataset.ts';
import { nodeRows } from '../../src/api/metrics/node.ts';
import type { MetricRows } from '../../src/api/metrics/row.ts';
import { admissionRows, validationRows } from '../../src/api/metrics/webhook.ts';
import { LONGEST_QUANTITY } from '../../src/api/units.ts';
import { LONGEST_TEXT, MOST_ENTRIES, MOST_SECRETS } from '../../src/constructs/limits.ts';
import { MOST_DIRECTORIES } from '../../src/constructs/tiered-store.ts';
import {
  controllerRights,
  electionRights,
  nodePluginRights,
  type Right,
  uiRights,
  validationRights,
  webhookRights,
  webhookRightsAtHome,
} from '../../src/install/rights.ts';
import { CAUSES } from '../../src/explain/slow/diagnose.ts';
import { valuesOf } from '../../src/install/index.ts';
import { KEYS, REQUESTS, shareOf } from '../../src/kube/turns/fair-queue.ts';
import { COMMANDS_AT_ONCE } from '../../src/reconciler/kubernetes/commands/jobs.ts';
import { conditionAdvice } from '../../src/planning/condition-advice.ts';
import { conditionMeanings } from '../../src/planning/conditions.ts';
import { LARGEST_RECORD } from '../../src/planning/last-valid.ts';
import { alertGroups } from '../../src/monitoring/alerts/all.ts';
import { durationText } from '../../src/monitoring/promql.ts';
import { backoffMs } from '../../src/kube/turns/queue.ts';
import { type Cause, causes } from '../../src/planning/reasons.ts';
import { table } from './markdown.ts';

export const codeTables: Readonly<Record<string, () => Promise<string>>> = {
  async installValues() {
    const types = { array: 'list', object: 'map' } as Readonly<Record<string, string>>;
    return table(
      ['value', 'type', 'default', 'what it says'],
      valuesOf().map(({ path, schema: { type = '', enum: choices, description = '' }, usual }) => [
        `\`${path}\``,
        choices ? choices.map((each) => `\`${String(each)}\``).join(', ') : (types[type] ?? type),
        usual === undefined ? '' : `\`${typeof usual === 'string' ? usual : JSON.stringify(usual)}\``,
        description,
      ]),
    );
  },
  async rights() {
    const rows = (who: string, rights: readonly Right[]) =>
      rights.map(({ group, resources, names = [], verbs, because }) => [
        who,
        [...resources.map((resource) => `\`${resource}\``), group && `of \`${group}\``].filter(Boolean).join(' '),
        names.map((name) => `\`${name}\``).join(' '),
        verbs.join(', '),
        because,
      ]);
    return table(
      ['who', 'resources', 'only these', 'verbs', 'why'],
      [
        ...rows('controller', controllerRights(runtimes)),
        ...rows('controller, in its namespace', electionRights),
        ...rows('node plugin', nodePluginRights(runtimes)),
        ...rows('webhook', webhookRights(runtimes)),
        ...rows('webhook, with `--validation`', validationRights(runtimes)),
        ...rows('webhook, in its namespace', webhookRightsAtHome),
        ...rows('page, with `ui.enabled`', uiRights(runtimes)),
      ],
    );
  },
  async limits() {
    const kib = (bytes: number) => `${bytes / 1024} KiB`;
    const shared = (places: number) => `${places}, of one namespace ${shareOf(places)}`;
    const seconds = (ms: number) => (ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${ms / 1000} s` : `${ms / 60_000} min`);
    return table(
      ['limit', 'value'],
      [
        ['keys that the controller reconciles at once', shared(KEYS)],
        ['requests to the API server under way at once', shared(REQUESTS)],
        ['commands of one kind in pods at once', String(COMMANDS_AT_ONCE)],
        ['back-off of a key that fails', `${seconds(backoffMs(1))} to ${seconds(backoffMs(Infinity))}`],
        ['entries of one list or map of a spec', String(MOST_ENTRIES)],
        ['characters of one text of a spec', LONGEST_TEXT.toLocaleString('en')],
        ['characters of a quantity, such as a quota', String(LONGEST_QUANTITY)],
        ['Secrets that options of one Dataset name', String(MOST_SECRETS)],
        ['cache directories of one tier', String(MOST_DIRECTORIES)],
        ['last valid specs that a restart of the controller remembers', kib(LARGEST_RECORD)],
      ],
    );
  },
  async reasons() {
    const rows = Object.entries<Cause>(causes);
    return table(
      ['reason', 'means', 'what to do', 'ends without help', 'kstatus'],
      rows.map(([reason, { means, toDo, toDoForOperation: other, passing, isStalling }]) => [
        `\`${reason}\``,
        means,
        other === undefined ? toDo : `for a runtime: ${toDo}. For an operation: ${other}`,
        passing ? 'yes' : '',
        isStalling ? '`Stalled`' : '`Reconciling`',
      ]),
    );
  },
  async conditions() {
    const names = Object.keys(conditionAdvice) as (keyof typeof conditionAdvice)[];
    return table(
      ['condition', 'means', 'what to do'],
      names.map((name) => [`\`${name}\``, conditionMeanings[name], conditionAdvice[name]]),
    );
  },
  async alerts() {
    const groups = alertGroups({ webhook: { enabled: true, validation: true } });
    return table(
      ['alert', 'severity', 'after', 'what it means', 'what to do'],
      groups
        .flatMap((group) => group.alerts)
        .map(({ name, severity, forSeconds, means, toDoInWords }) => [
          `\`${name}\``,
          severity,
          forSeconds === 0 ? 'at once' : durationText(forSeconds),
          means,
          toDoInWords,
        ]),
    );
  },
  slowCauses: async () =>
    table(
      ['cause', 'when it is named', 'what to do'],
      CAUSES.map(({ reason, when, remedy }) => [`\`${reason}\``, when, remedy]),
    ),
  slowOptions: async () => {
    const costs = runtimes.flatMap(({ engines, diagnosis }) => engines.flatMap((engine) => diagnosis(engine)?.costs ?? []));
    return table(
      ['client', 'option', 'values', 'what it costs', 'instead', 'source'],
      costs.map(({ client, name, values, costs: what, instead, source }) => [
        client,
        `\`${name}\``,
        values || 'any',
        what,
        instead,
        source,
      ]),
    );
  },
  metrics: async () => metricsOf({ ...workRows, ...processRows, ...tallyRows, ...extentRows, ...watchRows, ...buildRows }),
  datasetMetrics: async () => metricsOf({ ...eventRows, ...figureRows, ...fluidRows }),
  nodeMetrics: async () => metricsOf({ ...nodeRows, ...buildRows }),
  webhookMetrics: async () => metricsOf({ ...admissionRows, ...validationRows, ...buildRows }),
};

const metricsOf = (rows: MetricRows): string =>
  table(
    ['metric', 'type', 'labels', 'what it says', 'from'],
    Object.entries(rows).map(([name, { type, labels, help, from }]) => [
      `\`${name}\``,
      type,
      labels.map((each) => `\`${each}\``).join(', '),
      help,
      from,
    ]),
  );
