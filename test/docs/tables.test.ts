/**
 * Tables between `<!-- generated: … -->` and `<!-- end -->` are rendered here; `npm run docs -- --update` writes them, and the golden
 * manifests of the tutorial.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { benchTables } from './bench-tables.ts';
import { chartTables } from './chart-table.ts';
import { codeTables } from './code-tables.ts';
import { commandTables } from './command-tables.ts';
import { contractTables } from './contract-tables.ts';
import { defectTables } from './defect-tables.ts';
import { fluidTables } from './fluid-tables.ts';
import { PAGES, read, root } from './pages.ts';
import { platformTables } from './platform-tables.ts';
import { sourceTables } from './source-tables.ts';
import { schemaTables } from './schema-tables.ts';

test.each(PAGES)('%s has its generated tables up to date', async (page) => {
  await expect(await regenerated(read(page))).toMatchFileSnapshot(join(root, page));
});

const tables: Readonly<Record<string, () => Promise<string>>> = {
  ...codeTables,
  ...fluidTables,
  ...platformTables,
  ...chartTables,
  ...benchTables,
  ...contractTables,
  ...defectTables,
  ...sourceTables,
  ...schemaTables,
  ...commandTables,
};

function regenerated(page: string): Promise<string> {
  const parts = page.split(/(<!-- generated: (?:\w+) -->\n).*?(?=<!-- end -->)/gs);
  return Promise.all(
    parts.map(async (part) => {
      const [, name] = /^<!-- generated: (\w+) -->\n$/.exec(part) ?? [];
      return name === undefined ? part : `${part}\n${await (tables[name] ?? notThere(name))()}\n\n`;
    }),
  ).then((texts) => texts.join(''));
}

const notThere = (name: string) => () => Promise.reject(new Error(`there is no table ${name}`));
