import { signal } from '@preact/signals';

/** Now in ms, as ages are shown: moves on every five seconds, and stands while the page is not seen. */
export const now = signal(Date.now());

export function tick(): void {
  now.value = Date.now();
}

setInterval(() => {
  if (!document.hidden) tick();
}, 5000);
document.addEventListener('visibilitychange', tick);
