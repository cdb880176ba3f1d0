/** Boards in Grafana's form, by its own library: it knows the fields and defaults of each panel. */
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import type { Board, Choice, Panel } from './board.ts';

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const [WIDTH, HEIGHT] = [12, 8];

/** The board as Grafana stores it. */
export function rendered({ name, title, description, choices, rows }: Board): object {
  const builder = new dashboard.DashboardBuilder(title)
    .uid(`sluice-${name}`)
    .description(description)
    .tags(['sluice'])
    .timezone('browser')
    .refresh('1m')
    .time({ from: 'now-6h', to: 'now' })
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .withVariable(new dashboard.DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'));
  for (const choice of choices) builder.withVariable(variable(choice));
  let id = 0;
  for (const row of rows) {
    builder.withRow(new dashboard.RowBuilder(row.title).id(++id));
    for (const panel of row.panels) builder.withPanel(rendering(panel).id(++id));
  }
  return builder.build();
}

const QUERIES: Readonly<Record<Choice, string>> = {
  namespace: 'label_values(sluice_dataset_phase, namespace)',
  dataset: 'label_values(sluice_dataset_phase{namespace=~"$namespace"}, dataset)',
};
/** All also means series that lack the label: sums have no Dataset. */
const variable = (choice: Choice) =>
  new dashboard.QueryVariableBuilder(choice)
    .label(choice)
    .datasource(SOURCE)
    .query(QUERIES[choice])
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ text: 'All', value: '$__all' });

function rendering(panel: Panel) {
  const builder = builderOf(panel)
    .title(panel.title)
    .description(panel.description)
    .datasource(SOURCE)
    .unit(panel.unit)
    .span(WIDTH)
    .height(HEIGHT);
  for (const [i, { of, legend }] of panel.queries.entries()) {
    const query = new prometheus.DataqueryBuilder()
      .datasource(SOURCE)
      .expr(of.text)
      .legendFormat(legend)
      .refId(String.fromCharCode(65 + i));
    builder.withTarget(panel.as === 'table' ? query.instant().format(prometheus.PromQueryFormat.Table) : query);
  }
  return builder;
}

function builderOf({ as, unit }: Panel) {
  if (as === 'stat')
    return new stat.PanelBuilder()
      .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']))
      .textMode(common.BigValueTextMode.ValueAndName);
  // Prometheus' time of the query says nothing.
  if (as === 'table') return new table.PanelBuilder().withTransformation({ id: 'organize', options: { excludeByName: { Time: true } } });
  const graph = new timeseries.PanelBuilder()
    .fillOpacity(10)
    .showPoints(common.VisibilityMode.Never)
    .min(0)
    // The library's default hides the names of the curves.
    .legend(
      new common.VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(common.LegendDisplayMode.List)
        .placement(common.LegendPlacement.Bottom),
    )
    .tooltip(new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi));
  return unit === 'percentunit' ? graph.max(1) : graph;
}
