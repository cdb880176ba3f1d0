import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCollection } from '../../../../src/kube/watch/collection.ts';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { createOwnWrites } from '../../../../src/reconciler/kubernetes/store/own-writes.ts';

/** What happens next. What cannot happen now does not. */
const STEPS = [
  'we write',
  'others write',
  'it is deleted',
  'another object is written',
  'we look',
  'we read',
  'an answer comes',
  'the last answer comes',
  'the watch shows one more',
  'a bookmark comes',
  'a list begins or ends',
] as const;
type Step = (typeof STEPS)[number];

interface Version {
  readonly object: KubeObject;
  readonly by: 'us' | 'others';
  readonly isDeletion?: boolean;
}
type Answer = { readonly how: 'remember' | 'found' | 'forget'; readonly object: KubeObject };

const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
/** UIDs are numbers, in the order in which the objects were created. */
const uidOf = ({ metadata }: KubeObject): number => Number(metadata.uid);
const older = (a: KubeObject, b: KubeObject): number => versionOf(a) - versionOf(b);

/** A server with one name in it, a controller that reads and writes there, and a watch. Every history of it is one that a cluster can have. */
function createHistory() {
  let revision = 0;
  let uids = 0;
  let now: KubeObject | undefined;
  const log: Version[] = [];
  const onTheWay: Answer[] = [];
  /** What the controller was told, and the watch has not passed. */
  let told: KubeObject[] = [];
  const written = new Set<number>();
  /** The newest object that a read found to be deleted. */
  let gone = 0;
  let looked: KubeObject | undefined;
  let upTo: number | undefined = 0;
  /** How far the watch came, though it may have lost touch since. */
  let cameTo = 0;
  /** An answer came late while a list was read: what the watch had passed, it does not know. */
  let isConfused = false;
  let list: { readonly at: number; readonly object: KubeObject | undefined } | undefined;
  const shownUids = new Set<number>();
  /** What others wrote, and no event has shown. */
  let news: number[] = [];

  const writes = createOwnWrites((each) => each);
  const shown = createCollection<KubeObject>(
    (each) => each,
    (change) => {
      const { type, object } = change;
      const version = versionOf(object);
      const isOurs = type !== 'deleted' && list === undefined && written.has(version) && best() === version;
      const isEcho = writes.settle(change, 'Dataset', watched);
      shownUids.add(uidOf(object));
      const hidden = news.filter((each) => each <= version);
      if (isEcho) expect(hidden, 'others wrote it, and its event wakes nobody (S4)').toEqual([]);
      if (!isConfused) expect(isEcho, `whether version ${version} is an echo (S4)`).toBe(isOurs);
      news = news.filter((each) => each > version);
    },
  );
  const get = (): KubeObject | undefined => shown.store.get('/demo');
  const watched = {
    get,
    get status() {
      return { resourceVersion: upTo === undefined ? undefined : String(upTo) };
    },
  } as unknown as Parameters<typeof writes.remember>[1];

  /** The version that reads must return: the newest that the controller was told or shown, of an object that it was not told to be gone. */
  function best(): number | undefined {
    const known = [...told, get() ?? []].flat().filter((each) => uidOf(each) > gone);
    const newest = known.toSorted(older).at(-1);
    return newest && versionOf(newest);
  }
  function look(): void {
    looked = writes.newest('Dataset', watched, undefined, 'demo');
    if (!isConfused) expect(looked && versionOf(looked), 'the version that reads return (S1, S2, S3)').toBe(best());
  }
  function write(by: Version['by']): KubeObject {
    const uid = now?.metadata.uid ?? String(++uids);
    now = { apiVersion: 'v1', kind: 'Dataset', metadata: { name: 'demo', uid, resourceVersion: String(++revision) } };
    log.push({ object: now, by });
    if (by === 'others') news.push(revision);
    return now;
  }
  function answer(at: number): void {
    const [next] = onTheWay.splice(at, 1);
    if (!next) return;
    const { how, object } = next;
    if (upTo === undefined && versionOf(object) <= cameTo) isConfused = true;
    if (how === 'forget') gone = Math.max(gone, uidOf(object));
    else told.push(object);
    if (how === 'remember') written.add(versionOf(object));
    writes[how](object, watched);
  }
  const unshown = (): Version | undefined => log.find(({ object }) => versionOf(object) > (upTo ?? 0));
  function show(): void {
    const next = list ? undefined : unshown();
    if (!next) return;
    if (next.isDeletion) shown.gone(next.object);
    else shown.seen(next.object);
    upTo = cameTo = versionOf(next.object);
  }
  function beginList(): void {
    upTo = undefined;
    list = { at: revision, object: now };
  }
  function endList(): void {
    if (!list) return;
    shown.replace([list.object ?? []].flat().map(shown.read));
    upTo = cameTo = list.at;
    const last = told.toSorted(older).at(-1);
    const unlisted = writes.unlisted('Dataset', watched).map(uidOf);
    const isMissed = last && !get() && versionOf(last) <= cameTo && uidOf(last) > gone && !shownUids.has(uidOf(last));
    if (isMissed && !isConfused)
      expect(unlisted, 'it was deleted before an event showed it, which wakes nobody (S4)').toEqual([uidOf(last)]);
    // What others wrote has been shown, or was deleted before anything showed it.
    news = news.filter((each) => each > cameTo);
    list = undefined;
    isConfused = false;
  }

  const steps: Readonly<Record<Step, (which: number) => void>> = {
    'we write': () => void onTheWay.push({ how: 'remember', object: write('us') }),
    'others write': () => void write('others'),
    'it is deleted'() {
      if (!now) return;
      const object = { ...now, metadata: { ...now.metadata, resourceVersion: String(++revision) } };
      log.push({ object, by: 'others', isDeletion: true });
      now = undefined;
    },
    'another object is written': () => void revision++,
    'we look': look,
    'we read'() {
      if (now) onTheWay.push({ how: 'found', object: now });
      else if (looked) onTheWay.push({ how: 'forget', object: looked });
    },
    'an answer comes': (which) => answer(which % Math.max(1, onTheWay.length)),
    'the last answer comes': () => answer(onTheWay.length - 1),
    'the watch shows one more': show,
    'a bookmark comes'() {
      if (!list && !unshown()) upTo = cameTo = revision;
    },
    'a list begins or ends'(which) {
      if (list) endList();
      else if (which < 3) beginList();
    },
  };
  function run(step: Step, which = 0): void {
    steps[step](which);
    told = told.filter((each) => versionOf(each) > (upTo ?? 0));
    if (which % 2 === 1) look();
  }
  return {
    run,
    /** Everything arrives that is on its way. */
    rest() {
      while (onTheWay.length > 0) run('an answer comes');
      if (list) run('a list begins or ends');
      while (unshown()) run('the watch shows one more');
      expect(writes.size, 'what is kept, though the watch shows everything').toBe(0);
      look();
      expect(looked, 'reads return what exists').toEqual(now);
    },
  };
}

test('in every history reads return the newest that is known, and no change of others goes unnoticed (S1, S2, S3, S4)', () => {
  const history = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(9)), { maxLength: 50, size: 'max' });
  fc.assert(
    fc.property(history, (steps) => {
      const { run, rest } = createHistory();
      for (const [step, which] of steps) run(step, which);
      rest();
    }),
    { numRuns: 2000 },
  );
});
