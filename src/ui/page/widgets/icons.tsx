/** Icons: each state has a shape of its own, so that no one needs to tell colours apart. */
import type { ComponentChildren } from 'preact';
import type { PicturePart } from '../../wire.ts';

/** `warning` is of what works, and needs attention. */
export type Mark = PicturePart['state'] | 'warning';

const SHAPES: Readonly<Record<Mark, ComponentChildren>> = {
  well: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M5.2 8.2l2 2 3.6-4.2" />
    </>
  ),
  waiting: (
    <path d="M3.8 1.8h8.4M3.8 14.2h8.4M4.8 1.8c0 3.6 2.2 4.4 2.2 6.2s-2.2 2.6-2.2 6.2M11.2 1.8c0 3.6-2.2 4.4-2.2 6.2s2.2 2.6 2.2 6.2" />
  ),
  warning: (
    <>
      <path d="M8 1.9l6.3 11.4H1.7z" />
      <path d="M8 6.2v3.4M8 11.4v.3" />
    </>
  ),
  failing: (
    <>
      <path d="M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4L1.75 10.6V5.4z" />
      <path d="M5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2" />
    </>
  ),
  unknown: (
    <>
      <circle cx="8" cy="8" r="6.25" stroke-dasharray="2.4 2" />
      <path d="M6.3 6.4c0-2.3 3.5-2.1 3.5 0 0 1.3-1.8 1.4-1.8 2.7M8 11.2v.3" />
    </>
  ),
};

/** `label` is read aloud; without one the icon stands beside a text that says the same. */
export function StateIcon({ state, label }: { readonly state: Mark; readonly label?: string }) {
  return (
    <>
      <svg class={`icon state-${state}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        {SHAPES[state]}
      </svg>
      {label === undefined ? null : <span class="unseen-label">{label}</span>}
    </>
  );
}

const PATHS = {
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.4 10.4L14 14',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  runs: 'M4.5 2.8v10.4L13 8z',
  order: 'M4 2.5v6a2 2 0 0 0 2 2h6M9.5 8l2.5 2.5L9.5 13',
  language: 'M2 4h7M5.5 2.5V4M3.2 10.2C5.4 9 7.2 7 7.6 4M4 6c.8 1.8 2 3.2 3.6 4M8.5 13.5l2.8-7 2.8 7M9.4 11.3h3.8',
  sun: 'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M3.2 12.8l1.1-1.1M11.7 4.3l1.1-1.1',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z',
  screen: 'M2 3h12v8H2zM5.5 13.5h5',
} as const;

export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** A gate in a channel of water. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path class="gate" d="M4 3v18M20 3v18M4 6h16M8 6v7h8V6" />
      <path class="water" d="M4 17c2.7-2 5.3 2 8 0s5.3-2 8 0M4 20.5c2.7-2 5.3 2 8 0s5.3-2 8 0" />
    </svg>
  );
}
