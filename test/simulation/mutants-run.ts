import { runPlanted } from '../support/planted.ts';
import { mutants } from './mutants.ts';

/** A mutant is found within so many worlds, or not at all. */
const WORLDS = 2000;
const LIMIT_MS = 600_000;

/**
 * Runs worlds against a copy of the code with each mutant until one of them fails, and prints a table. Returns how many mutants were not found.
 *
 * @param only names of mutants; all when empty
 */
export async function runMutants(only: readonly string[], { worlds = WORLDS, threads = 2 } = {}): Promise<number> {
  const chosen = mutants.filter(({ name }) => only.length === 0 || only.includes(name));
  let missed = 0;
  console.log('| invariant | mutant | worlds | found by |\n| --- | --- | --- | --- |');
  for (const mutant of chosen) {
    const command = ['node', 'test/simulation/main.ts', '--from', '1', '--seeds', String(worlds), '--threads', String(threads), '--first'];
    const { status, output } = await runPlanted(mutant, command, { limitMs: LIMIT_MS });
    const [, count = '?'] = /^(\d+) worlds, /m.exec(output) ?? [];
    const isFound = status === 1 && /with findings/.test(output);
    if (!isFound) missed++;
    const by = isFound ? (output.split('\n')[0] ?? '') : `NOT FOUND ${status === 0 ? '' : output.slice(-200).replaceAll('\n', ' ')}`;
    console.log(`| ${mutant.name} | ${mutant.reason} | ${count} | ${by.slice(0, 160).replaceAll('|', '/')} |`);
  }
  console.log(`${chosen.length - missed} of ${chosen.length} mutants found`);
  return missed;
}
