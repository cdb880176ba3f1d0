import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { serveHealth } from '../../src/cli/health.ts';

test('every program that serves metrics says its version', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  const well = { alive: () => undefined, ready: () => undefined };
  const { port, stop } = await serveHealth('127.0.0.1', 0, well, new Registry());
  try {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics.split('\n')).toContain(`sluice_build_info{version="${version}"} 1`);
  } finally {
    await stop();
  }
});
