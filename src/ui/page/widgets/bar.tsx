import { percent } from '../format/figures.ts';

/** A part of a whole, 0 to 1, as a bar with its figure beside it. */
export function Bar({ ratio, label }: { readonly ratio: number; readonly label: string }) {
  return (
    <span class="bar-with-figure">
      <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={`${label} ${percent(ratio)}`}>
        <rect class="bar-whole" width="100" height="6" rx="1.5" />
        <rect class="bar-part" width={Math.max(ratio > 0 ? 1.5 : 0, ratio * 100)} height="6" rx="1.5" />
      </svg>
      <span class="figure" aria-hidden="true">
        {percent(ratio)}
      </span>
    </span>
  );
}
