import { Registry } from 'prom-client';
import { beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { admissionMetrics } from '../../../src/webhook/server/metrics.ts';
import { type ProfileWatch, profileWatch } from '../../../src/webhook/watches/profile-watch.ts';

const configMap = (pluginsProfile?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'webhook-plugins', namespace: 'fluid-system', uid: 'u' },
  data: { ...(pluginsProfile !== undefined && { pluginsProfile }) },
});
const good = 'plugins: { serverful: { withDataset: [DatasetUsageInjector] }, serverless: { withDataset: [FuseSidecar] } }';
const bad = 'plugins: { serverful: { withDataset: [DatasetUsageInjectr] } }';

let profiles: ProfileWatch;
let lines: string[];
let registry: Registry;
beforeEach(() => {
  lines = [];
  const say = (level: string) => (fields: object) => void lines.push(`${level} ${JSON.stringify(fields)}`);
  registry = new Registry();
  profiles = profileWatch({ debug() {}, info: say('info'), warn: say('warn'), error: say('error') }, admissionMetrics(registry).profiled);
});
const isFaulty = async () => /^sluice_webhook_profile_fault (\d)$/m.exec(await registry.metrics())?.[1];
const lengths = () => [profiles.current().serverful.withDataset.length, profiles.current().serverless.withDataset.length];

describe('the profile in force', () => {
  test('is built in while the ConfigMap does not exist, or lacks the key', () => {
    const builtIn = profiles.current();
    expect(builtIn.serverful.withDataset.length).toBeGreaterThan(3);
    profiles.changed(configMap(good));
    expect(lengths()).toEqual([1, 1]);
    profiles.changed(undefined);
    expect(profiles.current()).toBe(builtIn);
    profiles.changed(configMap());
    expect(profiles.current()).toBe(builtIn);
  });
  test('is the last without a fault, and the fault is reported', async () => {
    profiles.changed(configMap(good));
    profiles.changed(configMap(bad));
    expect(lengths()).toEqual([1, 1]);
    expect(lines.at(-1)).toMatch(
      /^warn .*plugins\.serverful\.withDataset\[0\]: expected a known plugin \(did you mean DatasetUsageInjector\?\)/,
    );
    expect(await isFaulty()).toBe('1');
    profiles.changed(configMap(good));
    expect(await isFaulty()).toBe('0');
  });
  test('is built in if the ConfigMap has a fault from the start', () => {
    const builtIn = profiles.current();
    profiles.changed(configMap(bad));
    expect(profiles.current()).toBe(builtIn);
  });
});
