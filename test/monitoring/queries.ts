/** Queries of a board as Grafana sends them. */
export interface StoredBoard {
  readonly title: string;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly description?: string;
    readonly gridPos: { readonly x: number; readonly y: number };
    readonly datasource?: object;
    readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
    readonly options?: { readonly legend?: { readonly showLegend: boolean } };
    readonly targets?: readonly { readonly expr: string; readonly datasource: object }[];
  }[];
}

export interface BoardQuery {
  /** Title of its panel. */
  readonly title: string;
  readonly expr: string;
}

/** With all namespaces and Datasets, and the range of a rate: three scrapes or so. */
export const queriesOf = (board: StoredBoard, filled = inRange('5m')): readonly BoardQuery[] =>
  board.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr: filled(expr) })));

/** Fills in variables: all, and this range. */
export const inRange = (range: string) => (expr: string) =>
  expr.replaceAll('$__rate_interval', range).replaceAll('$namespace', '.*').replaceAll('$dataset', '.*');
