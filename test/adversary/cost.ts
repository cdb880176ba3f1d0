import type { KubeClient } from '../../src/kube/contract.ts';
import type { ApiServer } from '../../src/api-server/index.ts';

/** Counts while the cluster works. */
export interface Tally {
  /** Objects that answers of the API server had. */
  items: number;
  /** Requests since time went by. */
  atOnce: number;
}

/** Sluice's work since it began. */
export interface Cost {
  readonly requests: number;
  readonly items: number;
  readonly passes: number;
  readonly commands: number;
  /** Bytes of the bodies that it sent, and of the largest one. */
  readonly sent: number;
  readonly largest: number;
  /** Where the counting of bodies ended. */
  readonly upTo: number;
}

export const newTally = (): Tally => ({ items: 0, atOnce: 0 });

/** Without time going by, nothing that ends sends more. */
const MOST_AT_ONCE = 2_000;

/** Counts what a client gets. Whoever sends requests without end gets no answer any more: otherwise the event loop would be theirs. */
export function counted(client: KubeClient, tally: Tally): KubeClient {
  const answered = async <T>(call: () => Promise<T>, itemsOf: (answer: T) => number): Promise<T> => {
    if (++tally.atOnce > MOST_AT_ONCE) return new Promise<T>(() => {});
    const answer = await call();
    tally.items += itemsOf(answer);
    return answer;
  };
  const one = () => 1;
  return {
    ...client,
    get: (...call) => answered(() => client.get(...call), one),
    list: (...call) =>
      answered(
        () => client.list(...call),
        ({ items }) => items.length,
      ),
    create: (...call) => answered(() => client.create(...call), one),
    apply: (...call) => answered(() => client.apply(...call), one),
    update: (...call) => answered(() => client.update(...call), one),
    patch: (...call) => answered(() => client.patch(...call), one),
    delete: (...call) => answered(() => client.delete(...call), one),
  };
}

export const isEndless = ({ atOnce }: Tally): boolean => atOnce > MOST_AT_ONCE;

/** After one action: some ten times what the dearest of the programs of `npm test` cost when it was measured. */
const MOST = { requests: 1_000, items: 1_500, passes: 1_000, commands: 400, sent: 2 * 1024 * 1024 } as const;
const MOST_OF_ONE = 1024 * 1024;

interface Spent {
  readonly server: Pick<ApiServer, 'requests'>;
  readonly tally: Tally;
  readonly process: { readonly passes: number };
  readonly commands: readonly string[];
}

export function costOf(world: Spent, before?: Cost): Cost {
  const { requests } = world.server;
  const bodies = requests
    .slice(before?.upTo ?? 0)
    .map(({ body, manager }) => (body !== undefined && manager === 'sluice' ? JSON.stringify(body).length : 0));
  return {
    requests: requests.length,
    items: world.tally.items,
    passes: world.process.passes,
    commands: world.commands.length,
    sent: bodies.reduce((sum, each) => sum + each, before?.sent ?? 0),
    largest: bodies.reduce((most, each) => Math.max(most, each), 0),
    upTo: requests.length,
  };
}

export function bounded(before: Cost, after: Cost): readonly string[] {
  return (['requests', 'items', 'passes', 'commands', 'sent'] as const)
    .flatMap((what) => {
      const count = after[what] - before[what];
      return count > MOST[what] ? [`one action cost ${count} (${what}), expected at most ${MOST[what]}`] : [];
    })
    .concat(after.largest > MOST_OF_ONE ? [`Sluice sent an object of ${after.largest} bytes`] : []);
}
