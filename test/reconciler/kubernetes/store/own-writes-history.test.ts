import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCollection } from '../../../../src/kube/watch/collection.ts';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { createOwnWrites } from '../../../../src/reconciler/kubernetes/store/own-writes.ts';

/** The next step. A step that is impossible now does nothing. */
const STEPS = [
  'we write',
  'others write',
  'others take or give the label',
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
  readonly isDeletion?: boolean;
}
interface Answer {
  readonly how: 'remember' | 'created' | 'found' | 'forget';
  readonly object: KubeObject;
  /** Whether the event answers a write, before which the watch shows all that others wrote. */
  readonly isEcho?: boolean;
}

/** Whether it has the label by which it is watched. */
const isLabelled = ({ metadata }: KubeObject): boolean => metadata.labels !== undefined;
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
  /** Objects that the controller received, and the watch has not passed. */
  let told: KubeObject[] = [];
  /** The versions of our writes whose events are echoes. */
  const echoes = new Set<number>();
  /** The newest object that a read found to be deleted. */
  let gone = 0;
  const shownUids = new Set<number>();
  /** UIDs of which a deletion was shown. */
  const ended = new Set<number>();
  let looked: KubeObject | undefined;
  let upTo: number | undefined = 0;
  /** How far the watch came, though it may have lost touch since, or be told nothing of what lacks the label. */
  let cameTo = 0;
  /** An answer came late while a list was read: what the watch had passed, it does not know. */
  let isConfused = false;
  let list: { readonly at: number; readonly object: KubeObject | undefined } | undefined;
  /** Writes of others that no event has shown. */
  let news: number[] = [];

  const writes = createOwnWrites((each) => each);
  const shown = createCollection<KubeObject>(
    (each) => each,
    (change) => {
      const { type, object } = change;
      const version = versionOf(object);
      const isOurs =
        type !== 'deleted' &&
        list === undefined &&
        echoes.has(version) &&
        best() === version &&
        told.some((each) => versionOf(each) === version);
      const { isEcho, missed } = writes.settle(change, 'Dataset', watched);
      if (missed) ended.add(uidOf(missed));
      (type === 'deleted' ? ended : shownUids).add(uidOf(object));
      const hidden = news.filter((each) => each <= version);
      if (isEcho) expect(hidden, 'others wrote it, and its event wakes nobody (S4)').toEqual([]);
      if (!isConfused) expect(isEcho, `whether version ${version} is an echo (S4)`).toBe(isOurs);
      news = news.filter((each) => each > version);
      // An object that the list lacks is forgotten, though it may have the label again by now: the watch shows it next.
      if (type === 'deleted' && list) told = told.filter((each) => uidOf(each) !== uidOf(object));
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
  function write(by: 'us' | 'others', withLabel: boolean): KubeObject {
    const uid = now?.metadata.uid ?? String(++uids);
    now = {
      apiVersion: 'v1',
      kind: 'Dataset',
      metadata: { name: 'demo', uid, resourceVersion: String(++revision), ...(withLabel && { labels: { owner: 'u' } }) },
    };
    log.push({ object: now });
    if (by === 'others') news.push(revision);
    return now;
  }
  function answer(at: number): void {
    const [next] = onTheWay.splice(at, 1);
    if (!next) return;
    const { how, object, isEcho } = next;
    if (upTo === undefined && versionOf(object) <= cameTo) isConfused = true;
    if (how === 'forget') gone = Math.max(gone, uidOf(object));
    else told.push(object);
    if (isEcho) echoes.add(versionOf(object));
    writes[how](object, watched);
  }
  /** The next change of which the watch is told. What lacks the label, it passes over. */
  function unshown(): Version | undefined {
    return log.find(({ object }, i) => versionOf(object) > cameTo && (isLabelled(object) || wasLabelled(i)));
  }
  function wasLabelled(i: number): boolean {
    const { object, isDeletion } = log[i]!;
    const before = log.slice(0, i).findLast((each) => each.object.metadata.uid === object.metadata.uid);
    return before !== undefined && !isDeletion && isLabelled(before.object);
  }
  function show(): void {
    const next = list ? undefined : unshown();
    if (!next) return;
    if (next.isDeletion || !isLabelled(next.object)) shown.gone(next.object);
    else shown.seen(next.object);
    upTo = cameTo = versionOf(next.object);
  }
  function beginList(): void {
    // An object without the label is forgotten by the first read after the watch has passed it.
    look();
    upTo = undefined;
    list = { at: revision, object: now && isLabelled(now) ? now : undefined };
  }
  function endList(): void {
    if (!list) return;
    shown.replace([list.object ?? []].flat().map(shown.read));
    upTo = cameTo = list.at;
    for (const each of writes.unlisted('Dataset', watched)) ended.add(uidOf(each));
    const last = told.toSorted(older).at(-1);
    const isMissed = last && versionOf(last) <= cameTo && uidOf(last) !== Number(get()?.metadata.uid) && !shownUids.has(uidOf(last));
    if (isMissed && !isConfused)
      expect([...ended], 'it was deleted before an event showed it, which wakes nobody (S4, S13)').toContain(uidOf(last));
    // Writes of others that were shown, or deleted before anything showed them.
    news = news.filter((each) => each > cameTo);
    list = undefined;
    isConfused = false;
  }

  const steps: Readonly<Record<Step, (which: number) => void>> = {
    'we write'() {
      const isNew = now === undefined;
      // Without the label, others may have changed it unseen.
      const isWatched = now !== undefined && isLabelled(now);
      onTheWay.push({ how: isNew ? 'created' : 'remember', object: write('us', true), isEcho: isNew || isWatched });
    },
    'others write': () => void write('others', !now || isLabelled(now)),
    'others take or give the label': () => void write('others', now !== undefined && !isLabelled(now)),
    'it is deleted'() {
      // A watch cannot show the end of an object that had no label for a while.
      if (!now || log.some(({ object }) => object.metadata.uid === now?.metadata.uid && !isLabelled(object))) return;
      const object = { ...now, metadata: { ...now.metadata, resourceVersion: String(++revision) } };
      log.push({ object, isDeletion: true });
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
      run('a bookmark comes');
      look();
      expect(writes.size, 'what is kept, though the watch shows everything').toBe(0);
      expect(looked, 'reads return what exists').toEqual(now && isLabelled(now) ? now : undefined);
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
