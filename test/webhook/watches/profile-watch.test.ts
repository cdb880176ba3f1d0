import { beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
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
beforeEach(() => {
  lines = [];
  const say = (level: string) => (fields: object) => void lines.push(`${level} ${JSON.stringify(fields)}`);
  profiles = profileWatch({ debug() {}, info: say('info'), warn: say('warn'), error: say('error') });
});
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
  test('is the last without a fault, and the fault is reported', () => {
    profiles.changed(configMap(good));
    profiles.changed(configMap(bad));
    expect(lengths()).toEqual([1, 1]);
    expect(profiles.fault()).toContain('plugins.serverful.withDataset[0]: expected a known plugin (did you mean DatasetUsageInjector?)');
    expect(lines.at(-1)).toMatch(/^warn .*did you mean DatasetUsageInjector/);
    profiles.changed(configMap(good));
    expect(profiles.fault()).toBeUndefined();
  });
  test('is built in if the ConfigMap has a fault from the start', () => {
    const builtIn = profiles.current();
    profiles.changed(configMap(bad));
    expect(profiles.current()).toBe(builtIn);
  });
});
