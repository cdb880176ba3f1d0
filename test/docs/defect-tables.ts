/** The tables of what was found in Fluid, and of pods that its webhook makes otherwise: each row with the test that shows it. */
import { join } from 'node:path/posix';
import { cacheDefects } from '../upstream/cache-defects.ts';
import { efcDefects } from '../upstream/efc-defects.ts';
import { engineDefects } from '../upstream/engine-defects.ts';
import { jindoDefects } from '../upstream/jindo-defects.ts';
import { operationDefects } from '../upstream/operation-defects.ts';
import type { Decision } from '../upstream/runtime-defects.ts';
import { vineyardDefects } from '../upstream/vineyard-defects.ts';
import { webhookDefects } from '../upstream/webhook-defects.ts';
import { podDenials, podDifferences } from '../upstream/webhook-differences.ts';
import { meaning, plain } from './fluid-tables.ts';
import { code, table } from './markdown.ts';

export const defectTables: Readonly<Record<string, () => Promise<string>>> = {
  engineDefects: async () => defects(engineDefects),
  cacheDefects: async () => defects(cacheDefects),
  efcDefects: async () => defects(efcDefects),
  jindoDefects: async () => defects(jindoDefects),
  vineyardDefects: async () => defects(vineyardDefects),
  operationDefects: async () => defects(operationDefects),
  webhookDefects: async () => defects(webhookDefects),
  async podDifferences() {
    return table(
      ['what of a pod', 'Fluid', 'Sluice', 'why'],
      podDifferences.map(({ path, fluid, ours, reason }) => [code(plain(path)), meaning(fluid), meaning(ours), reason]),
    );
  },
  async podDenials() {
    return table(
      ['pod', 'Fluid', 'Sluice denies it', 'why'],
      Object.entries(podDenials).map(([name, { fluid, ours, reason }]) => [code(name), fluid, ours, reason]),
    );
  },
};

/** Links are those of a page in docs/reference. */
const defects = (all: Readonly<Record<string, Decision>>): string =>
  table(
    ['Fluid', 'Sluice', 'shown by'],
    Object.values(all).map(({ fluid, decided, shown: [file] }) => [
      fluid,
      decided,
      `[${file.split('/').at(-1)}](../../${join('test', file)})`,
    ]),
  );
