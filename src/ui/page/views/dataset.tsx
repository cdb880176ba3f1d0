/** One Dataset: what keeps it from working and what to do, then its parts, its past, its figures and its manifest. */
import type { ComponentChildren } from 'preact';
import { computed } from '@preact/signals';
import type { DatasetView } from '../../wire.ts';
import { addressOf, type Tab, TABS } from '../state/address.ts';
import { useDatasetView } from '../state/dataset-view.ts';
import { go } from '../state/place.ts';
import { ALL } from '../state/query.ts';
import { fleet } from '../state/session.ts';
import { texts } from '../state/settings.ts';
import { Icon } from '../widgets/icons.tsx';
import { Shown } from '../widgets/shown.tsx';
import { Tabs } from '../widgets/tabs.tsx';
import { Explained } from './explained.tsx';
import { FiguresTab } from './figures-tab.tsx';
import { Headline } from './headline.tsx';
import { HistoryTab } from './history-tab.tsx';
import { ManifestsTab } from './manifests-tab.tsx';
import { PictureTab } from './picture-tab.tsx';
import { PreviewTab } from './preview-tab.tsx';

interface DatasetPageProps {
  readonly namespace: string;
  readonly name: string;
  readonly tab: Tab;
}

const byKey = computed(() => fleet.value?.byKey);

export function DatasetPage({ namespace, name, tab }: DatasetPageProps) {
  const t = texts.value;
  const reading = useDatasetView(namespace, name);
  const key = `${namespace}/${name}`;
  // The row is there before the view is, and newer than it between two readings.
  const row = byKey.value?.get(key) ?? (reading.step === 'read' ? reading.view.row : undefined);
  return (
    <>
      <nav class="crumbs" aria-label={t.back}>
        <a href={addressOf({ view: 'fleet', query: ALL })}>
          <Icon name="back" />
          {t.back}
        </a>
        <span aria-hidden="true">/</span>
        <a href={addressOf({ view: 'fleet', query: { ...ALL, namespace } })}>
          <Shown text={namespace} />
        </a>
      </nav>
      {reading.step === 'gone' ? (
        <>
          <h1>
            <Shown text={name} />
          </h1>
          <p class="empty" role="status">
            <Shown text={t.gone(key)} />
          </p>
        </>
      ) : (
        <>
          {row ? (
            <Headline row={row} />
          ) : (
            <h1>
              <Shown text={name} />
            </h1>
          )}
          {reading.step === 'read' ? (
            <Read view={reading.view} tab={tab} choose={(to) => go({ view: 'dataset', namespace, name, tab: to })} />
          ) : (
            <p class="empty">{t.loading}</p>
          )}
        </>
      )}
    </>
  );
}

function Read({ view, tab, choose }: { readonly view: DatasetView; readonly tab: Tab; readonly choose: (tab: Tab) => void }) {
  const t = texts.value;
  return (
    <>
      <Explained explanations={view.explanations} />
      <Tabs label={t.tabList} tabs={TABS} titles={t.tabs} chosen={tab} choose={choose}>
        {contentOf(view, tab)}
      </Tabs>
    </>
  );
}

function contentOf(view: DatasetView, tab: Tab): ComponentChildren {
  switch (tab) {
    case 'picture':
      return <PictureTab picture={view.picture} />;
    case 'history':
      return <HistoryTab history={view.history} />;
    case 'figures':
      return <FiguresTab samples={view.samples} />;
    case 'manifests':
      return <ManifestsTab manifests={view.manifests} />;
    case 'preview':
      return <PreviewTab namespace={view.row.namespace} name={view.row.name} manifests={view.manifests} />;
  }
}
