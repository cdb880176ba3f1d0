/** The boards: what Grafana gets, and that Prometheus understands each query. */
import { describe, expect, test } from 'vitest';
import { whyNoPrometheus } from '../../harness/tools/debs.ts';
import { boards as definitions } from '../../scripts/boards/all.ts';
import { boards } from '../../src/monitoring/boards.gen.ts';
import { canRun } from '../support/can-run.ts';
import { promtool } from './promtool.ts';
import { queriesOf, type StoredBoard } from './queries.ts';

const stored = Object.entries(boards).map(([name, text]) => [name, JSON.parse(text) as StoredBoard] as const);
const panelsOf = (board: StoredBoard) => board.panels.filter(({ type }) => type !== 'row');

describe.each(stored)('the board %s', (name, board) => {
  test('has a title, a unit and a description for each panel, and a place of its own', () => {
    for (const { title, description, fieldConfig } of panelsOf(board)) {
      expect(title).toMatch(/^[A-Z]/);
      expect(description).toMatch(/\.$/);
      expect(fieldConfig?.defaults.unit).toBeTruthy();
    }
    const ids = board.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const places = board.panels.map(({ gridPos: { x, y } }) => `${x},${y}`);
    expect(new Set(places).size).toBe(places.length);
  });
  test('names the curves of each graph', () => {
    for (const { type, title, options } of panelsOf(board))
      if (type === 'timeseries') expect({ title, legend: options?.legend?.showLegend }).toEqual({ title, legend: true });
  });
  test('asks the Prometheus that is chosen, and no other', () => {
    for (const { datasource, targets = [] } of panelsOf(board))
      for (const each of [{ datasource }, ...targets]) expect(each.datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
  });
  test('offers the variables that its queries name', () => {
    const used = new Set(
      queriesOf(board, (text) => text).flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)].map(([, variable]) => variable)),
    );
    used.delete('__rate_interval');
    const offered = board.templating.list.map((variable) => variable.name).filter((each) => each !== 'datasource');
    expect([...used].toSorted()).toEqual(offered.toSorted());
  });
  test('counts no Dataset once for each replica', () => {
    // Figures of the controller are the same in all replicas: a sum of them is one of maxima. Counters are the leader's.
    for (const { expr } of queriesOf(board))
      for (const [, metric = ''] of expr.matchAll(/(sluice_(?:dataset|datasets|operations|runtimes)\w*)/g))
        if (!metric.endsWith('_total')) expect(expr).toMatch(new RegExp(`max by \\([^)]*\\) \\(${metric}`));
  });
  test('is that of its definition', () => {
    expect(definitions.find((each) => each.name === name)?.title).toBe(board.title);
  });
});

describe.skipIf(!canRun('queries of boards', whyNoPrometheus()))('the queries', () => {
  test('are understood by Prometheus', () => {
    const rules = stored.flatMap(([name, board]) =>
      queriesOf(board).map(({ title, expr }, i) => ({ record: `b:${i}`, expr, labels: { board: name, title } })),
    );
    const { ok, said } = promtool(['check', 'rules', '--lint=none', 'boards.yaml'], {
      'boards.yaml': { groups: [{ name: 'boards', rules }] },
    });
    expect({ ok, said }).toEqual({ ok: true, said: expect.stringContaining(`SUCCESS: ${rules.length} rules found`) });
  });
});
