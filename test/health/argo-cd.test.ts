/** The health check of Argo CD, over the tests beside it, in Argo CD's layout. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { canRun } from '../support/can-run.ts';
import { lackingReader, read } from './reader.ts';

const GITOPS = join(import.meta.dirname, '../../examples/gitops');
const CHECK = join(GITOPS, 'resource_customizations/data.fluid.io/_');
const yaml = (...path: string[]): unknown => parse(readFileSync(join(...path), 'utf8'));
interface Case {
  readonly inputPath: string;
  readonly healthStatus: { readonly status: string; readonly message: string };
}
const { tests } = yaml(CHECK, 'health_test.yaml') as { tests: readonly Case[] };

describe.skipIf(!canRun('the health check of Argo CD', lackingReader()))('the health check of Argo CD', () => {
  test.each(tests)('says $healthStatus.status of $inputPath', ({ inputPath, healthStatus }) =>
    expect(read(['lua', join(CHECK, 'health.lua')], [yaml(CHECK, inputPath) as object])).toEqual([healthStatus]),
  );
});

test('the fragment of argocd-cm has the script of the health check', () => {
  const { data } = yaml(GITOPS, 'argocd-cm.yaml') as { data: Record<string, string> };
  expect(parse(data['resource.customizations'] ?? '')).toEqual({
    'data.fluid.io/*': { 'health.lua': readFileSync(join(CHECK, 'health.lua'), 'utf8') },
  });
});
