/** The place that is shown, kept in the address. */
import { computed, signal } from '@preact/signals';
import { addressOf, type Place, placeOf } from './address.ts';

const hash = signal(location.hash);
export const place = computed(() => placeOf(hash.value));

addEventListener('hashchange', () => {
  hash.value = location.hash;
});

/** Goes there; the back button comes back. */
export function go(to: Place): void {
  location.hash = addressOf(to);
}

/** Changes the place without a step of its own for the back button, as while someone types. */
export function replace(to: Place): void {
  history.replaceState(history.state, '', addressOf(to));
  hash.value = location.hash;
}

/** The one-time token of an address such as `/#token=…`, which is taken out of the address at once. */
export function tokenOfAddress(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
  if (token !== undefined) replace(placeOf(''));
  return token;
}
