import { texts } from '../state/settings.ts';
import { Icon } from './icons.tsx';

/** Finds as one types. `/` leads here from anywhere on the page (keys.ts). */
export function SearchField({
  value,
  hint,
  change,
}: {
  readonly value: string;
  readonly hint: string;
  readonly change: (value: string) => void;
}) {
  return (
    <label class="search">
      <Icon name="search" />
      <input
        id="search"
        type="search"
        aria-label={texts.value.search}
        placeholder={hint}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
