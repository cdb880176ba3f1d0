import type { PlantedFault } from '../../support/planted.ts';
import { breaks } from './breaks.ts';

const QUEUE = 'src/kube/turns/queue.ts';

/** One for each invariant of the queue (src/kube/turns/queue.ts). */
export const queueFaults: readonly PlantedFault[] = [
  breaks('Q1', 'a key that is added while a pass runs gets a second one beside it', [
    QUEUE,
    "if (entry.state === 'running') entry.again = true;",
    "if (entry.state === 'running') {\n      entry.state = 'idle';\n      enqueue(entry);\n    }",
  ]),
  breaks('Q2', 'what is added while a pass runs is forgotten once it settles', [QUEUE, 'if (again) add(key);', '']),
  breaks('Q3', 'two additions are two passes', [
    QUEUE,
    'if (again) add(key);',
    'if (again) {\n      add(key);\n      setTimeout(() => add(key), 400);\n    }',
  ]),
  breaks('Q4', 'last come, first served', [
    QUEUE,
    'line.push(namespaceOf(key), key, ticket);',
    'line.push(namespaceOf(key), key, -ticket);',
  ]),
  breaks('Q5', 'the number of passes is not bounded', [
    QUEUE,
    'while (!stopping && running < concurrency && line.isReady)',
    'while (!stopping && line.isReady)',
  ]),
  breaks(
    'Q6',
    'a namespace with many keys keeps the others waiting',
    [QUEUE, 'line.push(namespaceOf(key), key, ticket);', "line.push('', key, ticket);"],
    [QUEUE, 'line.leave(namespaceOf(key));', "line.leave('');"],
  ),
  breaks('Q7', 'a key that fails is retried without a pause', [QUEUE, 'const FIRST_BACKOFF_MS = 50;', 'const FIRST_BACKOFF_MS = 5;']),
  breaks('Q8', 'after an event a failing key is retried late', [
    QUEUE,
    'const EVENT_BACKOFF_MS = 1000;',
    'const EVENT_BACKOFF_MS = 20_000;',
  ]),
  breaks('Q9', 'a key that waits keeps its place among those that run', [
    QUEUE,
    '    line.leave(namespaceOf(key));',
    '    if (heldSince === undefined) line.leave(namespaceOf(key));',
  ]),
  breaks('Q10', 'a key that waits is never looked at again by itself', [
    QUEUE,
    'return outcome.afterMs === undefined ? undefined : Math.max(1, outcome.afterMs);',
    'return undefined;',
  ]),
  breaks('Q11', 'the time that a key was held begins anew with each pass', [
    QUEUE,
    'entry.heldSince ??= clock.monotonic();',
    'entry.heldSince = clock.monotonic();',
  ]),
  breaks('Q12', 'an alarm outlives the pass that settled its key', [QUEUE, '    repeats.clear(key);\n', '']),
  breaks('Q13', 'passes begin after the stop', [QUEUE, 'while (!stopping && running < concurrency', 'while (running < concurrency']),
  breaks('Q14', 'passes that wait for nothing keep the event loop', [QUEUE, '      if (slice.isSpent()) return;\n', '']),
];
