/** Advice in Chinese: of the same objects, for the same reasons; what others wrote stays as it is. */
import { expect, test } from 'vitest';
import { languageFor, languageOf } from '../../src/cli/settings/language.ts';
import { report } from '../../src/cli/explain/report.ts';
import { plain } from '../../src/cli/terminal.ts';
import { findings } from '../../src/explain/findings.ts';
import type { ExplainInput } from '../../src/explain/gather.ts';
import { en } from '../../src/explain/texts/en.ts';
import { zh } from '../../src/explain/texts/zh.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { adviceOfCondition, adviceOfReason } from '../../src/planning/advice.ts';
import { conditionAdvice } from '../../src/planning/condition-advice.ts';
import { causes } from '../../src/planning/reasons.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const HAN = /\p{Script=Han}/u;
/** Names, fields and commands in a text, which no language changes. */
const namesIn = (text: string): readonly string[] =>
  [...new Set(text.match(/`[^`]+`|data\.fluid\.io\/\w+|kubectl [\w -]+|sluice-csi/g))].toSorted();

const reasons = [...Object.keys(causes), 'AcmeProfileNotFound'];
test.each(reasons.flatMap((reason) => (['runtime', 'operation'] as const).map((about) => [reason, about] as const)))(
  'advice about %s of a %s is Chinese, and has the names of the English one',
  (reason, about) => {
    const [english = '', chinese = ''] = (['en', 'zh'] as const).map((language) => adviceOfReason(reason, about, language));
    expect(chinese).toMatch(HAN);
    expect(english).not.toMatch(HAN);
    expect(namesIn(chinese)).toEqual(namesIn(english));
  },
);

test('advice about conditions is Chinese', () => {
  for (const type of Object.keys(conditionAdvice)) {
    expect(adviceOfCondition(type, 'zh'), type).toMatch(HAN);
    expect(namesIn(adviceOfCondition(type, 'zh') ?? ''), type).toEqual(namesIn(adviceOfCondition(type) ?? ''));
  }
});

test('texts with names have them in both languages', () => {
  const texts = [en, zh].map((each) => [each.ended('kubectl logs a'), each.podOfSchedule('job-1'), each.podReplaced('kubectl logs b')]);
  expect(texts[1]?.every((text) => HAN.test(text))).toBe(true);
  for (const each of texts) expect(each.join()).toMatch(/kubectl logs a.*job-1.*kubectl logs b/);
  expect(zh.retryInOrder(['DataLoad first'])).toContain('DataLoad first');
});

test('a report in Chinese has the message of the controller as it is', () => {
  const message = 'waiting for Secret ml/keys of spec.mounts[0]';
  const conditions = [{ type: 'Synced', status: 'False', reason: 'SecretNotFound', message, lastTransitionTime: '2026-01-02T03:04:00Z' }];
  const runtime = {
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'ThinRuntime',
    metadata: { namespace: 'ml', name: 'demo', uid: 'u' },
    status: { conditions },
  } as KubeObject;
  const none = { runtimes: [], operations: [], workloads: [], jobs: [], pods: [], events: [] };
  const input: ExplainInput = { objects: [runtime], ...none, now: NOW, language: 'zh' };
  expect(plain(report(findings(input), NOW, 'ml', 'zh'))).toBe(
    [
      '✗ ThinRuntime ml/demo: 与规约不一致',
      `  SecretNotFound，已持续 5s：${message}`,
      '    处理建议：创建 Secret，或补上缺少的键；控制器会在 0.5 秒到 30 秒后重试',
      '',
    ].join('\n'),
  );
  expect(plain(report([], NOW, 'ml', 'zh'))).toContain('名字空间 ml 中没有');
});

test.each([
  [{ LANG: 'zh_CN.UTF-8' }, 'zh'],
  [{ LANG: 'zh' }, 'zh'],
  [{ LANG: 'zh_TW.UTF-8', LC_ALL: 'C' }, 'en'],
  [{ LANG: 'en_US.UTF-8', LC_MESSAGES: 'zh_CN.UTF-8' }, 'zh'],
  [{ LC_ALL: '', LANG: 'zh_SG' }, 'zh'],
  [{ LANG: 'zha_CN' }, 'en'],
  [{}, 'en'],
] as const)('the locale %j means %s', (env, language) => {
  expect(languageOf(env)).toBe(language);
});

test('JSON is English in a Chinese locale, unless an option says otherwise', () => {
  const env = { LANG: 'zh_CN.UTF-8' };
  expect(languageFor({ output: 'text' }, env)).toBe('zh');
  expect(languageFor({ output: 'text', lang: 'en' }, env)).toBe('en');
  expect(languageFor({ output: 'json' }, env)).toBe('en');
  expect(languageFor({ output: 'json', lang: 'zh' }, {})).toBe('zh');
});
