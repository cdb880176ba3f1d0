/** Evaluation of rules and patterns that people bring in definitions, which may take for ever. */
import { createContext, Script } from 'node:vm';
import { Refusal } from '../api-server/index.ts';

/** A real server has a budget of cost, which is about a second; patterns take it no time, but JavaScript's go back and forth. */
const MOST_MS = 2_000;

const context = createContext({});
// Nothing else of Node ends a regular expression in its midst.
const call = new Script('run()');

/**
 * Runs what changes nothing, and ends it once it has had its time; that costs some 50 µs.
 *
 * @throws Refusal when it did not end
 */
export function inTime(run: () => void, mostMs = MOST_MS): void {
  context['run'] = run;
  try {
    call.runInContext(context, { timeout: mostMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Refusal(422, 'Invalid', `the rules and patterns of its definition take more than ${mostMs} ms to check this object`);
  }
}
