import { addressOf } from '../state/address.ts';
import { Shown } from './shown.tsx';

/** A link to a Dataset, `namespace/name`; not a stop of the Tab key inside of a grid, whose Enter opens it. */
export function DatasetLink({
  dataset,
  inGrid = false,
  text = dataset,
}: {
  readonly dataset: string;
  readonly inGrid?: boolean;
  readonly text?: string;
}) {
  const slash = dataset.indexOf('/');
  const [namespace, name] = [dataset.slice(0, slash), dataset.slice(slash + 1)];
  return (
    <a href={addressOf({ view: 'dataset', namespace, name, tab: 'picture' })} {...(inGrid ? { tabIndex: -1 } : {})}>
      <Shown text={text} />
    </a>
  );
}
