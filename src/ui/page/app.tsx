import { useEffect } from 'preact/hooks';
import { place } from './state/place.ts';
import { fleet, session } from './state/session.ts';
import { texts } from './state/settings.ts';
import { DatasetPage } from './views/dataset.tsx';
import { FleetView } from './views/fleet.tsx';
import { NodesView } from './views/nodes.tsx';
import { OperationsView } from './views/operations.tsx';
import { Shell } from './views/shell.tsx';
import { SignIn } from './views/sign-in.tsx';
import { visible } from './format/visible.ts';

export function App() {
  const t = texts.value;
  const title = titleOf();
  useEffect(() => {
    document.title = title;
  }, [title]);
  return <Shell>{viewOf()}</Shell>;

  function viewOf() {
    if (session.value.step === 'sign-in') return <SignIn refused={session.value.refused} />;
    if (session.value.step === 'loading') return <p class="empty">{t.loading}</p>;
    switch (place.value.view) {
      case 'fleet':
        return <FleetView />;
      case 'dataset':
        return (
          <DatasetPage
            key={`${place.value.namespace}/${place.value.name}`}
            namespace={place.value.namespace}
            name={place.value.name}
            tab={place.value.tab}
          />
        );
      case 'operations':
        return <OperationsView />;
      case 'nodes':
        return <NodesView search={place.value.search} node={place.value.node} />;
    }
  }
}

function titleOf(): string {
  const t = texts.value;
  const at = place.value;
  const view = {
    fleet: t.datasets,
    dataset: at.view === 'dataset' ? `${at.namespace}/${at.name}` : '',
    operations: t.operations,
    nodes: t.nodes,
  }[at.view];
  return [view, fleet.value?.viewer.cluster, t.title]
    .filter(Boolean)
    .map((part) => visible(part ?? ''))
    .join(' · ');
}
