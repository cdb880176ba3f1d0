import { type Clock, within } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { createLimiter, takeSlot } from '../../kube/turns/limiter.ts';
import { createPace } from '../../kube/turns/pace.ts';
import { type EditPreview, paths } from '../wire.ts';
import type { Looks } from './detail/looks.ts';
import { readDataset, shownIn } from './detail/reading.ts';
import { datasetView } from './detail/view.ts';
import { DATASETS, fleetText, namespacesOf, pluralOf } from './fleet/fleet-text.ts';
import type { LiveFleet } from './fleet/fleet.ts';
import type { Streams } from './fleet/stream.ts';
import { bodyOf } from './http/bodies.ts';
import type { UiRequest, UiRoute } from './http/routes.ts';
import { nodeViews } from './nodes/node-views.ts';
import type { NodeWatches } from './nodes/watches.ts';

/** Compares an edited manifest with the cluster, as `sluice diff` does. */
export type Preview = (
  client: KubeClient,
  edited: { readonly namespace: string; readonly name: string; readonly text: string },
) => Promise<EditPreview>;

export interface ApiParts {
  readonly fleet: LiveFleet;
  /** Resolves when the fleet is complete. */
  readonly ready: Promise<void>;
  readonly streams: Streams;
  readonly nodes: NodeWatches;
  readonly looks: Looks;
  readonly preview: Preview;
  readonly clock: Clock;
}

/** For the first lists. */
const PATIENCE_MS = 20_000;
/** A view of a Dataset asks the API server for a page or two of each of ten kinds. */
const READS = 6;
/** Each has the manifests of a Dataset rendered. */
const PREVIEWS = 2;
const MOST_MANIFEST_BYTES = 256 << 10;
const NOT_READY = 'the server has not read all kinds from the API server yet: ask again';
/** The same for one that does not exist and one that the viewer may not see. */
const NO_DATASET = 'expected the name of a Dataset that exists and that you may see';

/** The answers to paths of wire.ts. */
export function apiRoutes({ fleet, ready, streams, nodes, looks, preview, clock }: ApiParts): ReadonlyMap<string, UiRoute> {
  const reads = createLimiter(READS, clock);
  const previews = createLimiter(PREVIEWS, clock);
  const isReady = (whole: Promise<void>): Promise<true | undefined> =>
    within(
      clock,
      PATIENCE_MS,
      whole.then(() => true as const),
    );
  const nodeState = (name: string) => {
    const node = nodes.node(name);
    return node ? (node.ready ? 'ready' : 'not ready') : 'unknown';
  };

  async function answerFleet({ session: { sight, ended }, response, answers }: UiRequest): Promise<void> {
    if (!(await isReady(ready))) return answers.problem(503, NOT_READY);
    await sight.look(namespacesOf(fleet));
    // A client that reads slowly would get rows of later, and with rights of before.
    const cut = () => void response.destroy();
    const cancel = clock.after(WHOLE_MS, cut);
    ended.addEventListener('abort', cut, { once: true });
    response.once('close', () => {
      cancel();
      ended.removeEventListener('abort', cut);
    });
    await answers.chunks(fleetText(fleet, { sight, version: streams.version(), now: clock.wall(), pace: createPace(clock) }));
  }

  function answerChanges({ session: { sight, ended }, request, response, answers, query }: UiRequest): void {
    answers.events();
    const last = request.headers['last-event-id'];
    streams.open(response, { sight, ended, from: typeof last === 'string' ? last : (query.get('from') ?? undefined) });
  }

  /** The Dataset of a path, if there is one and the viewer may see it. */
  async function seen({ session: { sight }, names: [namespace = '', name = ''] }: UiRequest) {
    await isReady(ready);
    await sight.look([namespace]);
    return sight.sees(DATASETS, namespace) ? fleet.datasets.get(`${namespace}/${name}`) : undefined;
  }

  async function answerDataset(asked: UiRequest): Promise<void> {
    const { session, answers, query } = asked;
    const { sees } = session.sight;
    const kept = await seen(asked);
    if (!kept) return answers.problem(404, NO_DATASET);
    const { namespace, name } = kept.row;
    const key = `${namespace}/${name}`;
    const serving = fleet.serving(kept, sees);
    const others = fleet.candidates(kept, sees).filter((each) => each !== serving);
    const operations = [...fleet.operations.values()].filter(
      ({ kind, row, over }) => !over && row.datasets.includes(key) && row.namespace === namespace && sees(pluralOf(kind), namespace),
    );
    const concerned = {
      namespace,
      name,
      runtimes: serving ? [serving, ...others] : others,
      operations: operations.slice(0, MOST_OPERATIONS),
      now: clock.wall(),
    };
    const slot = await takeSlot(reads, clock, PATIENCE_MS, {});
    try {
      const [reading] = await Promise.all([
        readDataset(session.reads, concerned),
        // Nodes that are not ready say so in the picture; it is drawn without them too.
        sees('nodes', '') ? within(clock, NODES_MS, nodes.begin()) : undefined,
      ]);
      if (!reading) return answers.problem(404, NO_DATASET);
      looks.note(namespace, name, shownIn(reading));
      const view = {
        row: fleet.datasetRow(kept, sees),
        samples: fleet.samples.of(key),
        language: query.get('language') === 'zh' ? ('zh' as const) : ('en' as const),
        nodeState: sees('nodes', '') ? nodeState : () => 'unknown' as const,
      };
      answers.json(datasetView(reading, view));
    } finally {
      slot.release();
    }
  }

  async function answerNodes({ session: { sight }, answers }: UiRequest): Promise<void> {
    if (!(await isReady(Promise.all([ready, nodes.begin()]).then(() => {})))) return answers.problem(503, NOT_READY);
    await sight.look(namespacesOf(fleet));
    answers.json(nodeViews(nodes, fleet, sight));
  }

  async function answerPreview(asked: UiRequest): Promise<void> {
    const { session, request, answers } = asked;
    const kept = await seen(asked);
    if (!kept) return answers.problem(404, NO_DATASET);
    const text = await bodyOf(request, MOST_MANIFEST_BYTES);
    if (text === undefined) return answers.problem(413, `expected a manifest of at most ${MOST_MANIFEST_BYTES} bytes`);
    const { namespace, name } = kept.row;
    const slot = await takeSlot(previews, clock, PATIENCE_MS, {});
    try {
      answers.json(await preview(session.edits, { namespace, name, text }));
    } finally {
      slot.release();
    }
  }

  return new Map<string, UiRoute>([
    [paths.fleet, { method: 'GET', names: 0, answer: answerFleet }],
    [paths.changes, { method: 'GET', names: 0, answer: answerChanges }],
    [paths.datasets, { method: 'GET', names: 2, answer: answerDataset }],
    [paths.nodes, { method: 'GET', names: 0, answer: answerNodes }],
    [paths.preview, { method: 'POST', names: 2, answer: answerPreview }],
  ]);
}
const MOST_OPERATIONS = 12;
/** For the whole fleet to be read by a client. */
const WHOLE_MS = 60_000;
const NODES_MS = 2_000;
