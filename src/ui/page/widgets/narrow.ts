import { signal } from '@preact/signals';

/** As styles/*.css have it: rows become cards, the picture a list. */
const query = matchMedia('(max-width: 760px)');

export const isNarrow = signal(query.matches);
query.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});
