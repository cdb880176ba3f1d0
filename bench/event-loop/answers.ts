import { lastWords } from '../../src/planning/last-words.ts';
import { infosOf } from '../../src/reconciler/operations/status.ts';
import { texts } from '../../test/hostile/cost.ts';
import { probesOf, RUNTIMES } from '../../test/hostile/probes.ts';
import { type Cost, dearest } from './cost.ts';

const callsOf = (name: string, size: number, read: (text: string) => unknown) =>
  texts.map((make, i) => {
    const text = Buffer.from(make(size)).toString('utf8');
    return { what: `${name}, text ${i} of ${text.length}`, work: () => read(text) };
  });

/** The longest answer that a pod may print for each probe of each runtime, and to operations. */
export function* answers(quick: boolean): Iterable<Cost> {
  for (const [name, bound] of Object.entries(RUNTIMES)) {
    const calls = probesOf(bound).flatMap(([what, { commands, mostBytes, parse }]) =>
      callsOf(what, mostBytes, (text) => parse(commands.map(({ mayFail }) => (mayFail ? [] : [text])))),
    );
    const { ms, ...detail } = dearest(calls, quick);
    yield { row: `answers-${name.replaceAll(' ', '-')}`, ms, detail };
  }
  const ofOperations = [
    ...callsOf('progress', 64 << 10, infosOf),
    ...callsOf('last words', 1 << 20, (message) => lastWords({ name: 'p', exitCode: 1, message })),
  ];
  const { ms, ...detail } = dearest(ofOperations, quick);
  yield { row: 'answers-operations', ms, detail };
}
