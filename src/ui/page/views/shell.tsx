/** The frame of every view: the place, the viewer, and whether what is shown is live. */
import type { ComponentChildren } from 'preact';
import { addressOf } from '../state/address.ts';
import { place } from '../state/place.ts';
import { ALL } from '../state/query.ts';
import { fleet, operations } from '../state/session.ts';
import { stateOf } from '../state/operations.ts';
import { texts } from '../state/settings.ts';
import { Logo } from '../widgets/icons.tsx';
import { Shown, titleOf } from '../widgets/shown.tsx';
import { Banner } from './banner.tsx';
import { Switches } from './switches.tsx';

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const t = texts.value;
  const viewer = fleet.value?.viewer;
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        {t.skip}
      </a>
      <header class="top">
        <a class="brand" href={addressOf({ view: 'fleet', query: ALL })}>
          <Logo />
          <strong>{t.title}</strong>
        </a>
        {viewer ? (
          <span class="cluster cut" title={titleOf(viewer.cluster)}>
            <Shown text={viewer.cluster} />
          </span>
        ) : null}
        {viewer ? <Views /> : null}
        <span class="top-end">
          {viewer ? (
            <span class="viewer cut" title={titleOf(t.viewer, viewer.name)}>
              <span class="unseen-label">{t.viewer} </span>
              <Shown text={viewer.name} /> <small>{t.readOnly}</small>
            </span>
          ) : null}
          <Switches />
        </span>
      </header>
      <Banner />
      <main id="content" tabIndex={-1} class={`view view-${place.value.view}`}>
        {children}
      </main>
      {viewer ? (
        <footer class="rights">
          <span>{viewer.namespaces ? t.onlyNamespaces(viewer.namespaces) : t.allNamespaces}</span>
          {viewer.hidden.length > 0 ? <span>{t.hidden(viewer.hidden)}</span> : null}
        </footer>
      ) : null}
    </>
  );
}

function Views() {
  const t = texts.value;
  const running = operations.value.filter((row) => stateOf(row) === 'running').length;
  const isIn = (...views: readonly string[]): 'page' | undefined => (views.includes(place.value.view) ? 'page' : undefined);
  return (
    <nav aria-label={t.views}>
      <a href={addressOf({ view: 'fleet', query: ALL })} aria-current={isIn('fleet', 'dataset')}>
        {t.datasets}
      </a>
      <a href={addressOf({ view: 'operations', search: '' })} aria-current={isIn('operations')}>
        {t.operations}
        {running > 0 ? (
          <span class="badge" title={t.operationStates.running}>
            {running}
          </span>
        ) : null}
      </a>
      <a href={addressOf({ view: 'nodes', search: '' })} aria-current={isIn('nodes')}>
        {t.nodes}
      </a>
    </nav>
  );
}

/** The address keeps its place: it is not of an element. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}
