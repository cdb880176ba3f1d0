/**
 * `npm run mutants -- FOLDER [TEST…]`: what the tests of a folder do not notice. Changes its code at one place at a time, in a copy, runs the
 * tests of its own folder or those named, and prints each change with which they pass: a test is missing, or the code does nothing. The tests
 * of the changed file's own folder come first, since they notice most.
 *
 *   --count N    how many changes, drawn from all (default 60)
 *   --seed S     of which seed (default 1)
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type PlantedFault, runPlanted } from '../test/support/planted.ts';
import { type Mutant, mutantsOf, sampled } from './mutants/sites.ts';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const [folder, ...named] = positionals;
if (folder === undefined) throw new Error('expected a folder or a file: npm run mutants -- runtimes/juicefs');
const testsOf = (path: string) => join('test', path.replace(/^src\//, ''));
const tests = named.length > 0 ? named : [testsOf(folder)];
const VITEST = ['nice', '-n', '19', 'vitest', 'run', '--project', 'unit', '--project', 'programs', '--bail=1', '--maxWorkers=1'];

const all = filesIn(join(root, folder)).flatMap((path) => {
  const [file, text] = [relative(root, path), readFileSync(path, 'utf8')];
  return mutantsOf(text).map((mutant) => ({ file, text, mutant }));
});
const chosen = sampled(all, Number(values.count), Number(values.seed));
console.log(`${chosen.length} of ${all.length} changes of ${folder}, against ${tests.join(' ')}`);

const began = performance.now();
const { status, output } = await runPlanted({ name: 'none', reason: '', edits: [] }, [...VITEST, ...tests]);
if (status !== 0) throw new Error(`expected tests that pass before any change:\n${output.slice(-2000)}`);
// A mutant that takes so much longer hangs, and is noticed.
const limitMs = 10_000 + 5 * (performance.now() - began);

let unnoticed = 0;
for (const { file, text, mutant } of chosen) {
  const fault: PlantedFault = { name: `${file}:${mutant.line}`, reason: '', edits: [{ file, find: text, replace: mutant.text }] };
  const near = testsOf(dirname(file));
  const isPart = existsSync(join(root, near)) && tests.some((each) => near.startsWith(`${each}/`));
  const order = isPart ? [[near], tests] : [tests];
  if (await isNoticed(fault, order)) continue;
  unnoticed++;
  console.log(`${fault.name}: ${line(mutant)}`);
}
console.log(`${chosen.length - unnoticed} of ${chosen.length} were noticed`);

async function isNoticed(fault: PlantedFault, order: readonly (readonly string[])[]): Promise<boolean> {
  for (const some of order) if ((await runPlanted(fault, [...VITEST, ...some], { limitMs })).status !== 0) return true;
  return false;
}

function filesIn(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.gen.ts'))
    .map((name) => join(path, name));
}

function line({ before, after }: Mutant): string {
  const short = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${short(before)} → ${short(after)}`;
}
