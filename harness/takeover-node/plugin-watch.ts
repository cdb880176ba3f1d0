/** Watches which node plugin serves: the time without one. */
import { csiDriver } from '../../src/api/names.ts';
import { DEFAULT_NAMESPACE as NAMESPACE } from '../../src/install/fluid.ts';
import { repeat } from '../control-plane/repeat.ts';
import type { Stage } from './stage.ts';

const EVERY_MS = 200;

export interface PluginWatch {
  /** Ends it; returns the longest time without a plugin, and the longest without a registration in the CSINode, s. */
  end(): Promise<{ readonly withoutPlugin: number; readonly unregistered: number }>;
}

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly labels?: Readonly<Record<string, string>>; readonly deletionTimestamp?: string };
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

/** A plugin serves when its pod is ready and not about to end, and the kubelet has registered a plugin. */
export function watchPlugin({ plane, node }: Stage): PluginWatch {
  const [without, unregistered] = [longest(), longest()];
  async function look(): Promise<void> {
    const [csiNode, pods] = await Promise.all([
      plane.get(`/apis/storage.k8s.io/v1/csinodes/${node.name}`),
      plane.get(`/api/v1/namespaces/${NAMESPACE}/pods`),
    ]);
    // The casts: the answers of the API server.
    const { drivers } = (csiNode as { readonly spec: { readonly drivers: readonly { readonly name: string }[] | null } }).spec;
    const isRegistered = drivers?.some(({ name }) => name === csiDriver) ?? false;
    unregistered.see(isRegistered);
    without.see(isRegistered && hasPlugin(pods as Pods));
  }
  // An API server that is too busy to answer says nothing about the plugin.
  const watching = repeat(look, EVERY_MS, () => {});
  return {
    async end() {
      await watching.stop();
      return { withoutPlugin: without.seconds(), unregistered: unregistered.seconds() };
    },
  };
}

const hasPlugin = ({ items }: Pods): boolean =>
  items.some(
    ({ metadata: { labels = {}, deletionTimestamp }, status: { conditions = [] } }) =>
      (labels['app'] === 'csi-nodeplugin-fluid' || labels['app.kubernetes.io/component'] === 'csi') &&
      deletionTimestamp === undefined &&
      conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
  );

function longest() {
  let [since, most]: [number | undefined, number] = [undefined, 0];
  const close = () => {
    if (since !== undefined) most = Math.max(most, performance.now() - since);
  };
  return {
    see(holds: boolean) {
      if (!holds) since ??= performance.now();
      close();
      if (holds) since = undefined;
    },
    seconds: () => most / 1000,
  };
}
