/** The fleet of this viewer, live: signed in, read once, then changed by what the server sends. */
import { computed, signal } from '@preact/signals';
import { changed, datasetKey, type FleetState, fleetState } from './fleet.ts';
import { follow, type Following } from './live.ts';
import { tokenOfAddress } from './place.ts';
import { Answered, fetchFleet, signIn } from './requests.ts';
import { tick } from './clock.ts';

type Step = { readonly step: 'loading' } | { readonly step: 'sign-in'; readonly refused: boolean } | { readonly step: 'signed-in' };

export const session = signal<Step>({ step: 'loading' });
export const fleet = signal<FleetState | undefined>(undefined);
/** Whether changes arrive; `since`, ms: when the connection was lost. */
export const connection = signal<
  { readonly state: 'live' } | { readonly state: 'lost'; readonly since: number; readonly message?: string }
>({
  state: 'live',
});
/** Datasets of the last batch that changed, or of which something changed, as `namespace/name`: views of them are read again. */
export const touched = signal<'all' | ReadonlySet<string>>(new Set<string>());

export const datasets = computed(() => fleet.value?.datasets ?? []);
export const operations = computed(() => fleet.value?.operations ?? []);

const RETRY_MS = 2000;
let following: Following | undefined;

export async function start(): Promise<void> {
  const token = tokenOfAddress();
  if (token !== undefined && !(await isAccepted(token))) return;
  await load();
}

/** With a token that the viewer typed. */
export async function enter(token: string): Promise<void> {
  if (await isAccepted(token)) await load();
}

async function isAccepted(token: string): Promise<boolean> {
  try {
    await signIn(token);
    return true;
  } catch (error) {
    // An address that is loaded again has a token that was used, and a cookie that may still be valid.
    if (
      await fetchFleet().then(
        () => true,
        () => false,
      )
    )
      return true;
    session.value = { step: 'sign-in', refused: error instanceof Answered };
    return false;
  }
}

async function load(): Promise<void> {
  following?.stop();
  try {
    fleet.value = fleetState(await fetchFleet());
  } catch (error) {
    if (error instanceof Answered && error.status === 401) {
      fleet.value = undefined;
      session.value = { step: 'sign-in', refused: false };
      return;
    }
    lose(error instanceof Answered ? error.message : undefined);
    setTimeout(() => void load(), RETRY_MS);
    return;
  }
  session.value = { step: 'signed-in' };
  connection.value = { state: 'live' };
  tick();
  touched.value = 'all';
  following = follow(() => fleet.value?.version ?? '', { changes: receive, opened, lost: () => lose(), ended: () => void load() });
}

function receive(changes: Parameters<typeof changed>[1]): void {
  if (!fleet.value) return;
  fleet.value = changed(fleet.value, changes);
  const keys = changes.flatMap((change) => [...(change.datasets ?? []).map(datasetKey), ...(change.gone?.datasets ?? [])]);
  if (keys.length > 0) touched.value = new Set(keys);
}

function opened(): void {
  if (connection.value.state === 'live') return;
  connection.value = { state: 'live' };
  // An open view may have changed while nothing was received.
  touched.value = 'all';
}

function lose(message?: string): void {
  const since = connection.value.state === 'lost' ? connection.value.since : Date.now();
  connection.value = { state: 'lost', since, ...(message === undefined ? {} : { message }) };
}
