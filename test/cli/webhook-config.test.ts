import { describe, expect, test } from 'vitest';
import { prefetcherOf, warnOf, webhookConfigOf } from '../../src/cli/webhook/config.ts';
import { version } from '../../src/cli/version.ts';
import { silent } from '../../src/kube/types.ts';

describe('the configuration of the webhook', () => {
  test('without flags and environment changes pods by native sidecars, in fluid-system', () =>
    expect(webhookConfigOf({}, {})).toEqual({
      port: 9443,
      namespace: 'fluid-system',
      settings: { disabled: false, nativeSidecars: true },
    }));
  test.each([
    ['FUSE_SIDECAR_INJECTION_MODE', 'native-sidecar', { nativeSidecars: true }],
    ['FUSE_SIDECAR_INJECTION_MODE', 'default', { nativeSidecars: false }],
    ['FUSE_SIDECAR_INJECTION_MODE', 'legacy', { nativeSidecars: false }],
    ['DISABLE_INJECTION', 'true', { disabled: true }],
    ['KEY_SERVERLESS_PLATFORM', 'acme.io/Platform_1', { platformLabel: 'acme.io/Platform_1' }],
  ])('takes %s=%s', (name, value, settings) => expect(webhookConfigOf({}, { [name]: value }).settings).toMatchObject(settings));
  test.each<[string, Record<string, string>, string | undefined, object]>([
    [
      'the image that FILE_PREFETCHER_IMAGE names',
      { FILE_PREFETCHER_IMAGE: 'acme/p:1', SLUICE_IMAGE: 'a:1' },
      'b:1',
      { image: 'acme/p:1', isOurs: false },
    ],
    ['else the one that SLUICE_IMAGE names', { SLUICE_IMAGE: 'a:1' }, 'b:1', { image: 'a:1', isOurs: true }],
    ['else the one of its own pod', {}, 'b:1', { image: 'b:1', isOurs: true }],
    ['else the one of its version', {}, undefined, { image: `sluice:${version()}`, isOurs: true }],
  ])('gives prefetchers %s', (_, env, ours, prefetcher) => expect(prefetcherOf(webhookConfigOf({}, env), ours)).toEqual(prefetcher));
  test('that changes no pod is logged as a warning', () => {
    const warnings: unknown[] = [];
    const log = { ...silent, warn: (_: object, message?: string) => void warnings.push(message) };
    warnOf(webhookConfigOf({}, {}).settings, log);
    expect(warnings).toEqual([]);
    warnOf(webhookConfigOf({}, { DISABLE_INJECTION: 'true' }).settings, log);
    expect(warnings).toEqual([expect.stringContaining('DISABLE_INJECTION is true')]);
  });
  test.each(['serverless.fluid.io/inject', 'fuse.serverful.fluid.io/inject', 'done.sidecar.fluid.io/inject', 'fluid.io/enable-injection'])(
    'has no platform label %s, which means something else',
    (key) =>
      expect(() => webhookConfigOf({}, { KEY_SERVERLESS_PLATFORM: key })).toThrow(
        `KEY_SERVERLESS_PLATFORM: expected the key of a label of your platform, not one of Sluice, found "${key}"`,
      ),
  );
  test('names every variable and flag at fault, what was expected, and what was found', () => {
    const env = { FUSE_SIDECAR_INJECTION_MODE: 'x', DISABLE_INJECTION: 'maybe', KEY_SERVERLESS_PLATFORM: 'a/b/c', MY_POD_NAMESPACE: 'A' };
    expect(() => webhookConfigOf({ port: '99999', metricsAddr: 'x' }, env)).toThrow(
      [
        '--metrics-addr: expected <host>:<port> such as :8080 or 127.0.0.1:8080, or 0, found "x"',
        'KEY_SERVERLESS_PLATFORM: expected the key of a label, such as example.com/platform, found "a/b/c"',
        'FUSE_SIDECAR_INJECTION_MODE: expected native-sidecar or default or legacy, found "x"',
        '--port: expected a port such as 9443, found "99999"',
        'MY_POD_NAMESPACE: expected the name of a namespace, found "A"',
        'DISABLE_INJECTION: expected true or false, found "maybe"',
      ].join('\n'),
    );
  });
});
