import type { NodePod, NodeView } from '../../wire.ts';
import { texts } from '../state/settings.ts';
import { DatasetLink } from '../widgets/dataset-link.tsx';
import { Icon, StateIcon } from '../widgets/icons.tsx';
import { Shown } from '../widgets/shown.tsx';
import { NodeState } from './node-columns.tsx';

/** All pods of one node. */
export function NodePanel({ node, close }: { readonly node: NodeView; readonly close: () => void }) {
  const t = texts.value;
  return (
    <section class="panel" aria-label={node.name}>
      <header>
        <h2>
          <Shown text={node.name} />
        </h2>
        <button type="button" class="quiet" aria-label={t.closePanel} title={t.closePanel} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <p>
        <NodeState node={node} t={t} />
      </p>
      <Pods title={t.caches} pods={node.caches} />
      <Pods title={t.clients} pods={node.clients} />
    </section>
  );
}

function Pods({ title, pods }: { readonly title: string; readonly pods: readonly NodePod[] }) {
  const t = texts.value;
  return (
    <>
      <h3>
        {title} <small>{t.pods(pods.length)}</small>
      </h3>
      {pods.length === 0 ? <p class="nothing">{t.none}</p> : null}
      <ul class="lines">
        {pods.map(({ dataset, pod, ready }) => (
          <li key={pod}>
            <StateIcon state={ready ? 'well' : 'waiting'} label={ready ? t.ready : t.notReady} /> <DatasetLink dataset={dataset} />{' '}
            <span class="object">
              <Shown text={pod} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
