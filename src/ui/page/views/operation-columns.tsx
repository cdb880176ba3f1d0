import type { OperationRow } from '../../wire.ts';
import { age, duration } from '../format/figures.ts';
import { now } from '../state/clock.ts';
import type { OperationState, OrderedOperation } from '../state/operations.ts';
import type { Texts } from '../texts/en.ts';
import { Bar } from '../widgets/bar.tsx';
import { DatasetLink } from '../widgets/dataset-link.tsx';
import type { Column } from '../widgets/column.ts';
import { Icon, type Mark, StateIcon } from '../widgets/icons.tsx';
import { Age, Nothing, Shown, titleOf } from '../widgets/shown.tsx';

const MARKS: Readonly<Record<OperationState, Mark>> = {
  running: 'waiting',
  waiting: 'waiting',
  scheduled: 'well',
  failed: 'failing',
  complete: 'well',
};

export const operationColumns = (t: Texts): readonly Column<OrderedOperation>[] => [
  { id: 'state', title: t.state, cell: ({ state }) => <State state={state} t={t} /> },
  { id: 'name', title: t.name, cell: (operation) => <Name operation={operation} /> },
  { id: 'kind', title: t.kind, cell: ({ row }) => <Shown text={row.kind} /> },
  { id: 'dataset', title: t.dataset, cell: ({ row }) => <Datasets datasets={row.datasets} /> },
  { id: 'progress', title: t.progress, cell: ({ row, state }) => <Progress row={row} state={state} t={t} /> },
  { id: 'order', title: t.order, cell: ({ row }) => <Order row={row} t={t} /> },
  { id: 'message', title: t.message, cell: ({ row: { message } }) => (message === undefined ? null : <Message text={message} />) },
  { id: 'created', title: t.age, isFigure: true, cell: ({ row }) => <Age at={row.created} /> },
];

const State = ({ state, t }: { readonly state: OperationState; readonly t: Texts }) => (
  <span class={`phase operation-${state}`}>
    {state === 'running' ? <Icon name="runs" /> : <StateIcon state={MARKS[state]} />}
    {t.operationStates[state]}
  </span>
);

/** An operation that waits for the one above stands below it. */
const Name = ({ operation: { row, depth } }: { readonly operation: OrderedOperation }) => (
  <span class="cut" title={titleOf(`${row.namespace}/${row.name}`)}>
    {depth > 0 ? (
      <span class={`depth depth-${Math.min(depth, 4)}`}>
        <Icon name="order" />
      </span>
    ) : null}
    <span class="namespace">
      <Shown text={row.namespace} />/
    </span>
    <Shown text={row.name} />
  </span>
);

const Datasets = ({ datasets }: { readonly datasets: readonly string[] }) => (
  <span class="cut" title={titleOf(datasets.join(' → '))}>
    {datasets.map((dataset, i) => (
      <>
        {i > 0 ? ' → ' : null}
        <DatasetLink dataset={dataset} inGrid />
      </>
    ))}
  </span>
);

function Progress({
  row: { progress, seconds },
  state,
  t,
}: {
  readonly row: OperationRow;
  readonly state: OperationState;
  readonly t: Texts;
}) {
  const time = seconds === undefined ? null : <small>{state === 'running' ? t.runs(duration(seconds)) : t.took(duration(seconds))}</small>;
  if (state === 'running' && progress !== undefined)
    return (
      <span class="cache">
        <Bar ratio={progress} label={t.progress} /> {time}
      </span>
    );
  return time ?? <Nothing />;
}

function Order({ row: { after, schedule, lastRun }, t }: { readonly row: OperationRow; readonly t: Texts }) {
  return (
    <span class="cut" title={titleOf(after === undefined ? undefined : `${t.after} ${after}`, schedule)}>
      {after === undefined ? null : (
        <>
          {t.after} <Shown text={after} />{' '}
        </>
      )}
      {schedule === undefined ? null : (
        <>
          <code>
            <Shown text={schedule} />
          </code>{' '}
          <small>{lastRun === undefined ? t.neverRun : t.lastRun(age(lastRun, now.value))}</small>
        </>
      )}
    </span>
  );
}

const Message = ({ text }: { readonly text: string }) => (
  <span class="cut" title={titleOf(text)}>
    <Shown text={text} />
  </span>
);
