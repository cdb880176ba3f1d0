/** promtool of Debian's package: it reads rules as Prometheus does, and runs tests of them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { prometheusProgram } from '../../harness/tools/debs.ts';
import type { RuleGroup } from '../../src/monitoring/rules.ts';

/** Values of a series, a minute apart, in promtool's words: `1+0x60`. */
export type Inputs = Readonly<Record<string, string>>;
export interface ExpectedAlert {
  readonly exp_labels: Readonly<Record<string, string>>;
  readonly exp_annotations: Readonly<Record<string, string>>;
}
export interface RuleTest {
  readonly name: string;
  readonly inputs: Inputs;
  readonly alertname: string;
  /** Minutes since the first value. */
  readonly at: number;
  readonly expected: readonly ExpectedAlert[];
}

/** Returns what promtool says, and whether all is as expected. */
export function promtool(
  args: readonly string[],
  files: Readonly<Record<string, unknown>>,
): { readonly ok: boolean; readonly said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-promtool-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), stringify(content, { lineWidth: 0 }));
  const { status, stdout, stderr } = spawnSync(prometheusProgram('promtool'), args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 << 20 });
  return { ok: status === 0, said: `${stdout}${stderr}` };
}

/** Runs tests of rules; returns what promtool says of those that fail. */
export function runRuleTests(groups: readonly RuleGroup[], tests: readonly RuleTest[]): { readonly ok: boolean; readonly said: string } {
  return promtool(['test', 'rules', 'tests.yaml'], {
    'rules.yaml': { groups },
    'tests.yaml': {
      rule_files: ['rules.yaml'],
      evaluation_interval: '1m',
      tests: tests.map(({ name, inputs, alertname, at, expected }) => ({
        name,
        interval: '1m',
        input_series: Object.entries(inputs).map(([series, values]) => ({ series, values })),
        alert_rule_test: [{ eval_time: `${at}m`, alertname, exp_alerts: expected }],
      })),
    },
  });
}
