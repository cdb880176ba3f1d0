import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { expect, test, vi } from 'vitest';
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

test('however often the metrics are asked for, they are computed once a second', async () => {
  const well = { alive: () => undefined, ready: () => undefined };
  const registry = new Registry();
  const metrics = vi.spyOn(registry, 'metrics');
  const { port, stop } = await serveHealth('127.0.0.1', 0, well, registry);
  try {
    const texts: string[] = [];
    for (let i = 0; i < 20; i++) texts.push(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    expect(new Set(texts).size).toBe(1);
    // A busy machine may take more than a second for twenty.
    expect(metrics.mock.calls.length).toBeLessThan(10);
  } finally {
    await stop();
  }
});
