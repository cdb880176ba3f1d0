import { describe, expect, test } from 'vitest';
import { redacted } from '../../src/cli/log.ts';

describe('logs', () => {
  test.each([
    ['redis://:secret@redis:6379/1 is down', 'redis://[redacted]@redis:6379/1 is down'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [redacted]'],
    ['format --secret-key=abc --bucket=b', 'format --secret-key=[redacted] --bucket=b'],
    ['{"token":"abc","a":1}', '{"token":[redacted],"a":1}'],
    [
      'key: "s3a.secretKey"\n  value: "abc"\nkey: "endpoint"\n  value: "e"',
      'key: "s3a.secretKey"\n  value: "[redacted]"\nkey: "endpoint"\n  value: "e"',
    ],
    ['dataset ml/demo is bound', 'dataset ml/demo is bound'],
  ])('redact %s', (said, shown) => expect(redacted({ error: said })).toEqual({ error: shown }));
  test('redact whole fields', () =>
    expect(redacted({ a: [{ data: { k: 'v' }, key: 'ml/demo' }] })).toEqual({ a: [{ data: '[redacted]', key: 'ml/demo' }] }));
});
