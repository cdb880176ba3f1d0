import { runPlanted } from '../../support/planted.ts';
import { plantedFaults } from './all.ts';

/** A planted fault is found within so many worlds, or not at all. */
const WORLDS = 2000;
const LIMIT_MS = 600_000;

/**
 * Runs worlds against a copy of the code with each planted fault until one of them fails, and prints a table. Returns how many were not found.
 *
 * @param only their names; all when empty
 * @throws TypeError for a name that none has
 */
export async function runPlantedFaults(only: readonly string[], { worlds = WORLDS, threads = 2 } = {}): Promise<number> {
  const unknown = only.filter((name) => plantedFaults.every((fault) => fault.name !== name));
  if (unknown.length > 0) throw new TypeError(`--only: expected names of planted faults, found ${unknown.join(', ')}`);
  const chosen = plantedFaults.filter(({ name }) => only.length === 0 || only.includes(name));
  let missed = 0;
  console.log('| invariant | planted fault | worlds | found by |\n| --- | --- | --- | --- |');
  for (const fault of chosen) {
    const command = ['node', 'test/simulation/main.ts', '--from', '1', '--seeds', String(worlds), '--threads', String(threads), '--first'];
    const { status, output } = await runPlanted(fault, command, { limitMs: LIMIT_MS });
    const [, count = '?'] = /^(\d+) worlds, /m.exec(output) ?? [];
    const isFound = status === 1 && /with findings/.test(output);
    if (!isFound) missed++;
    const by = isFound ? (output.split('\n')[0] ?? '') : `NOT FOUND ${status === 0 ? '' : output.slice(-200).replaceAll('\n', ' ')}`;
    console.log(`| ${fault.name} | ${fault.reason} | ${count} | ${by.slice(0, 160).replaceAll('|', '/')} |`);
  }
  console.log(`${chosen.length - missed} of ${chosen.length} planted faults found`);
  return missed;
}
