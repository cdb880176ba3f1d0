/** The variables with which Fluid's programs and helm run. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { variablesBelow } from '../../harness/fluid/install.ts';

test('temporary files of Fluid are in the folder that ends with its run, and so are its settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fluid-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const build = { checkout: '/fluid', bin: '/fluid/bin', chart: '/fluid/chart', charts: '/fluid/charts' };
  const { PATH, HOME, TMPDIR } = variablesBelow(folder, build);
  expect([HOME, dirname(TMPDIR)]).toEqual([folder, folder]);
  expect(statSync(TMPDIR).isDirectory()).toBe(true);
  expect(PATH.split(':')[0]).toBe('/fluid/bin');
});
