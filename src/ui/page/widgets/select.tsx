import { useMemo } from 'preact/hooks';
import { visible } from '../format/visible.ts';

interface SelectProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly value: string;
  /** Text of the choice of none, whose value is empty. */
  readonly any?: string;
  /** Other texts than the values. */
  readonly titles?: Readonly<Record<string, string>>;
  readonly change: (value: string) => void;
}

export function Select({ label, values, value, any, titles = {}, change }: SelectProps) {
  // A value that an address names need not occur any more.
  const known = value === '' || values.includes(value) ? values : [...values, value];
  const options = useMemo(
    () => known.map((each) => <option value={each}>{titles[each] ?? visible(each)}</option>),
    [known.length, known === values ? values : value, titles, values],
  );
  return (
    <select class="select" aria-label={label} title={label} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
      {any === undefined ? null : <option value="">{any}</option>}
      {options}
    </select>
  );
}
