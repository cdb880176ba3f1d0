/** Texts of the cluster, and small things that many views show. */
import { pieces, visible } from '../format/visible.ts';
import { age } from '../format/figures.ts';
import { now } from '../state/clock.ts';
import { language, texts } from '../state/settings.ts';

/** A text of the cluster: always a text node, apart from the direction of what surrounds it, and with nothing in it that is not seen. */
export function Shown({ text }: { readonly text: string }) {
  const found = pieces(text);
  return <bdi>{found.map((piece) => (piece.unseen ? <span class="unseen">{piece.text}</span> : piece.text))}</bdi>;
}

/** Characters at the end that stay: pods of one workload differ there. */
const TAIL = 12;

/** A name that may be cut in its middle, where there is no room for all of it. */
export function MiddleCut({ text }: { readonly text: string }) {
  if (text.length <= 2 * TAIL || pieces(text).length > 1)
    return (
      <span class="cut">
        <Shown text={text} />
      </span>
    );
  return (
    <bdi class="middle-cut">
      <span class="cut">{text.slice(0, -TAIL)}</span>
      <span>{text.slice(-TAIL)}</span>
    </bdi>
  );
}

/** How long ago; the whole date is its title. */
export function Age({ at }: { readonly at: number }) {
  return (
    <time dateTime={isoOf(at)} title={dateOf(at, language.value)}>
      {age(at, now.value)}
    </time>
  );
}

/** A date and a time of day in the viewer's zone. */
const dateOf = (at: number, locale: string): string => new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const isoOf = (at: number): string => new Date(at).toISOString();

/** A dash for a figure that is not known, or does not exist. */
export const Nothing = ({ label = texts.value.unknown }: { readonly label?: string }) => (
  <span class="nothing">
    <span aria-hidden="true">–</span>
    <span class="unseen-label">{label}</span>
  </span>
);

/** For attributes: `title` of what may be cut off. */
export const titleOf = (...parts: readonly (string | undefined)[]): string => visible(parts.filter(Boolean).join(': '));
