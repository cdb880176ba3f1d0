/** Every alert, by promtool's own tests of rules. */
import { describe, expect, test } from 'vitest';
import { whyNoPrometheus } from '../../harness/tools/debs.ts';
import { alertGroups } from '../../src/monitoring/alerts/all.ts';
import { ruleGroups } from '../../src/monitoring/rules.ts';
import { canRun } from '../support/can-run.ts';
import { cases } from './cases.ts';
import { promtool, runRuleTests, type RuleTest } from './promtool.ts';

const watched = { webhook: { enabled: true, validation: true, platformLabel: 'example.com/platform' } };
const groups = alertGroups(watched);
const rules = ruleGroups(groups);
const alerts = groups.flatMap((group) => group.alerts);
/** The rule alone: promtool evaluates all that it has, for each minute of each test. */
const only = (name: string) => [{ name, rules: rules.flatMap((group) => group.rules).filter(({ alert }) => alert === name) }];

describe.skipIf(!canRun('rules of Prometheus', whyNoPrometheus()))('the rules', () => {
  test('are valid', () => {
    const { ok, said } = promtool(['check', 'rules', 'rules.yaml'], { 'rules.yaml': { groups: rules } });
    expect({ ok, said }).toEqual({ ok: true, said: expect.stringContaining(`SUCCESS: ${alerts.length} rules found`) });
  });

  test.each(alerts)('$name fires once its fault has lasted, and with what explain says', ({ name, severity, forSeconds, toDo }) => {
    const minutes = Math.ceil(forSeconds / 60);
    const tests = (cases[name]?.fires ?? []).flatMap(
      ({ inputs, after = 0, labels = {}, summary, toDo: said = toDo }, i): readonly RuleTest[] => [
        {
          name: `fires ${i}`,
          inputs,
          alertname: name,
          at: minutes + after,
          expected: [{ exp_labels: { ...labels, severity }, exp_annotations: { summary, description: `What to do: ${said}.` } }],
        },
        ...(minutes > 0 ? [{ name: `is early ${i}`, inputs, alertname: name, at: minutes - 1, expected: [] }] : []),
      ],
    );
    expect(tests).not.toEqual([]);
    expect(runRuleTests(only(name), tests)).toEqual({ ok: true, said: expect.anything() });
  });

  test.each(alerts)('$name is silent while all is well', ({ name, forSeconds }) => {
    const tests = Object.entries(cases[name]?.silent ?? {}).flatMap(([why, inputs]) =>
      [0, 15, 60, 120].map(
        (late): RuleTest => ({ name: why, inputs, alertname: name, at: Math.ceil(forSeconds / 60) + late, expected: [] }),
      ),
    );
    expect(tests).not.toEqual([]);
    expect(runRuleTests(only(name), tests)).toEqual({ ok: true, said: expect.anything() });
  });
});

test('each alert has cases, and each case an alert', () => {
  expect(Object.keys(cases)).toEqual(alerts.map(({ name }) => name));
});
