import { useState } from 'preact/hooks';
import type { HistoryEntry } from '../../wire.ts';
import { texts } from '../state/settings.ts';
import { StateIcon } from '../widgets/icons.tsx';
import { Age, Shown } from '../widgets/shown.tsx';

/** Conditions and events in one list, the newest first. */
export function HistoryTab({ history }: { readonly history: readonly HistoryEntry[] }) {
  const t = texts.value;
  const [onlyWarnings, setOnlyWarnings] = useState(false);
  const shown = history.filter(({ severity }) => !onlyWarnings || severity === 'warning').toSorted((a, b) => b.at - a.at);
  return (
    <>
      <p class="tools">
        <button type="button" class="toggle" aria-pressed={onlyWarnings} onClick={() => setOnlyWarnings(!onlyWarnings)}>
          {t.onlyWarnings}
        </button>
      </p>
      {shown.length === 0 ? (
        <p class="empty">{t.noHistory}</p>
      ) : (
        <table class="history">
          <thead>
            <tr>
              <th scope="col">{t.when}</th>
              <th scope="col">{t.reason}</th>
              <th scope="col">{t.object}</th>
              <th scope="col">{t.message}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((entry) => (
              <Entry key={`${entry.at} ${entry.object} ${entry.reason} ${entry.from}`} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Entry({ entry: { at, object, from, severity, reason, message, count } }: { readonly entry: HistoryEntry }) {
  const t = texts.value;
  return (
    <tr class={`severity-${severity}`}>
      <td class="figure">
        <Age at={at} />
      </td>
      <td class="reason">
        <StateIcon state={severity === 'warning' ? 'warning' : 'well'} label={severity === 'warning' ? t.warnings : ''} />{' '}
        <b>
          <Shown text={reason} />
        </b>{' '}
        <span class="tag">{from === 'condition' ? t.condition : t.event}</span>
      </td>
      <td class="object">
        <Shown text={object} />
      </td>
      <td>
        <Shown text={message} />
        {count === undefined || count < 2 ? null : <small> {t.times(count)}</small>}
      </td>
    </tr>
  );
}
