/** Some of what `npm run alerts` does: real faults, a real Prometheus, and the rules that are shipped, sixty times as fast. */
import { describe, expect, test } from 'vitest';
import { runAlerts } from '../../harness/alerts/main.ts';
import { whyNoPrometheus } from '../../harness/tools/debs.ts';
import { canRun } from '../support/can-run.ts';
import { simulated } from '../support/test-cluster.ts';

describe.skipIf(!simulated || !canRun('alerts of a real Prometheus', whyNoPrometheus()))('alerts', () => {
  test('fire for a Dataset, its readers and the webhook, end with their faults, and boards have data', async () => {
    const lines: string[] = [];
    const only = ['SluiceDatasetFailed', 'SluiceDatasetUnavailable', 'SluiceWebhookProfileFault'];
    const isWell = await runAlerts({ only, settlesMs: 5000, say: (line) => void lines.push(line) });
    expect({ isWell, lines: isWell ? [] : lines }).toEqual({ isWell: true, lines: [] });
    for (const name of only) expect(lines.filter((line) => line.startsWith(`✓ ${name}: `))).toHaveLength(1);
  });
});
