/**
 * Every alert on a real control plane, scraped by a real Prometheus with the shipped configuration: it fires for a real fault, and is silent while
 * all is well. Times of rules are sixty times shorter. Prints a line for each alert, and what boards show; exit code 1 if one is missed.
 *
 *   npm run alerts
 *   npm run alerts -- --healthy 60                  an hour of healthy work, with the rules as they are: none may fire
 *   npm run alerts -- --only SluiceDatasetFailed    the faults of these alerts; repeatable
 */
import { parseArgs } from 'node:util';
import { runAlerts } from '../harness/alerts/main.ts';
import { whyNoPrometheus } from '../harness/tools/debs.ts';

const { values } = parseArgs({ options: { healthy: { type: 'string' }, only: { type: 'string', multiple: true } } });
const minutes = values.healthy === undefined ? undefined : Number(values.healthy);
if (minutes !== undefined && !(minutes > 0)) throw new Error(`--healthy: expected minutes, such as 60, found ${values.healthy}`);
const lacking = whyNoPrometheus();
if (lacking !== undefined) throw new Error(lacking);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const isWell = await runAlerts({
  ...(minutes !== undefined && { healthyMinutes: minutes }),
  ...(values.only && { only: values.only }),
  say: (line) => console.log(line),
});
process.exit(isWell ? 0 : 1);
