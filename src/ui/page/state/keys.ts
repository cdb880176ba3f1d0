/** Keys that work anywhere on the page. */
import { ALL } from './query.ts';
import { go, place } from './place.ts';

const isTyped = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.matches('input, textarea, select');
const focus = (selector: string): void => document.querySelector<HTMLElement>(selector)?.focus();

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const isSearch = event.target instanceof HTMLElement && event.target.id === 'search';
  if (event.key === '/' && !isTyped(event.target)) {
    const search = document.querySelector<HTMLInputElement>('#search');
    if (!search) return;
    search.focus();
    search.select();
  } else if (isSearch && (event.key === 'ArrowDown' || event.key === 'Escape' || event.key === 'Enter')) focus('[role=grid]');
  else if (event.key === 'Escape' && !isTyped(event.target)) leave();
  else return;
  event.preventDefault();
});

/** From a Dataset back to where the viewer came from; the fleet if the page was opened here. */
function leave(): void {
  if (place.value.view !== 'dataset') return;
  if (cameFromFleet) history.back();
  else go({ view: 'fleet', query: ALL });
}

let cameFromFleet = false;
addEventListener('hashchange', ({ oldURL, newURL }) => {
  const [from, to] = [new URL(oldURL).hash, new URL(newURL).hash];
  if (to.startsWith('#/dataset/')) cameFromFleet ||= !from.startsWith('#/dataset/');
  else cameFromFleet = false;
});
