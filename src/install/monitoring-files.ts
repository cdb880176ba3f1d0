import { stringify } from 'yaml';
import { alertGroups } from '../monitoring/alerts/all.ts';
import { ruleGroups } from '../monitoring/rules.ts';
import { boardsOf, monitoringObjects } from './monitoring.ts';
import { scrapeConfigs } from './scrape.ts';
import type { Settled } from './settled.ts';

/** Rules, scrape configuration, boards, and the same for the Prometheus operator, by the path of each file. */
export function monitoringFiles(options: Settled): ReadonlyMap<string, string> {
  const yaml = (value: unknown) => stringify(value, { lineWidth: 0 });
  return new Map([
    ['sluice-operator.yaml', monitoringObjects(options).map(yaml).join('---\n')],
    ...Object.entries(boardsOf(options)).map(([name, text]) => [`boards/sluice-${name}.json`, indented(text)] as const),
    ['sluice-rules.yaml', yaml({ groups: ruleGroups(alertGroups(options)) })],
    ['sluice-scrape.yaml', yaml({ scrape_configs: scrapeConfigs(options) })],
  ]);
}

const indented = (json: string): string => `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
