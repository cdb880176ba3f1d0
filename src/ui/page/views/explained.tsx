/** Why it is not well and what to do, in the words of `sluice explain`: the first cause in full, others below it. */
import type { ExplanationView } from '../../wire.ts';
import { age } from '../format/figures.ts';
import { now } from '../state/clock.ts';
import { texts } from '../state/settings.ts';
import { StateIcon } from '../widgets/icons.tsx';
import { isNarrow } from '../widgets/narrow.ts';
import { Shown } from '../widgets/shown.tsx';

type Cause = ExplanationView['causes'][number] & { readonly object: string };

export function Explained({ explanations }: { readonly explanations: readonly ExplanationView[] }) {
  const t = texts.value;
  const causes = explanations.flatMap(({ object, causes: found }) => found.map((cause) => ({ ...cause, object })));
  const details = explanations.flatMap(({ object, details: lines }) => lines.map((line) => ({ object, line })));
  const [first, ...rest] = causes;
  // Beside the first there is room for one more, where the screen is wide.
  const beside = rest.length === 1 && !isNarrow.value ? rest : [];
  const others = beside.length > 0 ? [] : rest;
  return (
    <section class="explained" aria-label={t.trouble}>
      {first ? (
        <div class={beside.length > 0 ? 'two-causes' : ''}>
          <OneCause cause={first} isFirst />
          {beside.map((cause) => (
            <OneCause cause={cause} />
          ))}
        </div>
      ) : explanations.every(({ healthy }) => healthy) ? (
        <p class="all-well">
          <StateIcon state="well" /> {t.allWell}
        </p>
      ) : null}
      {others.length > 0 ? (
        <details class="more">
          <summary>{t.moreCauses(others.length)}</summary>
          {others.map((cause) => (
            <OneCause cause={cause} />
          ))}
        </details>
      ) : null}
      {details.length > 0 ? (
        <details class="more">
          <summary>{t.details}</summary>
          <ul class="lines">
            {details.map(({ object, line }) => (
              <li>
                {explanations.length > 1 ? (
                  <span class="object">
                    <Shown text={object} />
                  </span>
                ) : null}
                <Shown text={line} />
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );
}

function OneCause({ cause, isFirst = false }: { readonly cause: Cause; readonly isFirst?: boolean }) {
  const t = texts.value;
  return (
    <div class={isFirst ? 'cause first' : 'cause'}>
      <p class="cause-head">
        <StateIcon state={isFirst ? 'failing' : 'warning'} />
        <strong>
          <Shown text={cause.reason} />
        </strong>
        <span class="object">
          <Shown text={cause.object} />
          {cause.since === undefined ? null : `, ${t.since(age(cause.since, now.value))}`}
        </span>
      </p>
      <p class="message">
        <Shown text={cause.message} />
      </p>
      {cause.toDo === '' ? null : (
        <p class="to-do">
          <b>{t.toDo}</b> <Shown text={cause.toDo} />
        </p>
      )}
    </div>
  );
}
