import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { age } from '../format/figures.ts';
import { now, tick } from '../state/clock.ts';
import { connection } from '../state/session.ts';
import { texts } from '../state/settings.ts';
import { StateIcon } from '../widgets/icons.tsx';
import { Shown } from '../widgets/shown.tsx';

/** A connection that is back sooner is not worth a word. */
const GRACE_MS = 1500;

/** Says that what is shown is old. The element is always there: screen readers read what appears in it. */
export function Banner() {
  const isDue = useSignal(false);
  const state = connection.value;
  useEffect(() => {
    isDue.value = false;
    if (state.state === 'live') return;
    const due = setTimeout(() => {
      tick();
      isDue.value = true;
    }, GRACE_MS);
    const ticking = setInterval(tick, 1000);
    return () => {
      clearTimeout(due);
      clearInterval(ticking);
    };
  }, [state.state]);
  return (
    <div class="banner-place" role="status" aria-live="polite">
      {state.state === 'lost' && isDue.value ? (
        <p class="banner">
          <StateIcon state="warning" /> {texts.value.lost(age(state.since, now.value))}
          {state.message === undefined ? null : (
            <span>
              {' '}
              <Shown text={texts.value.failed(state.message)} />
            </span>
          )}
        </p>
      ) : null}
    </div>
  );
}
