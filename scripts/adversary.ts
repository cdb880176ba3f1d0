/**
 * `npm run adversary`: programs of a tenant who tries everything (test/adversary).
 *
 *   --programs N   how many (default 500)
 *   --seed S       of which seed (default: one of its own each time)
 *   --first N      the number of the first (default 0)
 *   --level 1|2|3  what the tenant may do: the role `edit`; volumes too; the output of its pods too (default 1)
 *   --only 0,3     only these actions of each program, as a failure prints them
 *   --faults       plants each fault of test/adversary/faults.ts in turn, and prints after how many programs it was found
 *   --fault NAME   only this one
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { ASKED, type Asked } from '../test/adversary/asked.ts';
import { faults } from '../test/adversary/faults.ts';
import { runPlanted } from '../test/support/planted.ts';

const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    first: { type: 'string', default: '0' },
    level: { type: 'string', default: '1' },
    only: { type: 'string' },
    faults: { type: 'boolean', default: false },
    fault: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const COMMAND = ['vitest', 'run', '--project', 'adversary', 'test/adversary/adversary.test.ts'] as const;
const asked: Asked = {
  seed: number('seed', values.seed),
  // The cast: the largest number is checked.
  level: number('level', values.level, 1, 3) as Asked['level'],
  first: number('first', values.first),
  programs: number('programs', values.programs, 1),
  ...(values.only !== undefined && { only: values.only.split(',').map((each) => number('only', each)) }),
};

if (values.help)
  console.log('npm run adversary -- [--programs N] [--seed S] [--first N] [--level 1|2|3] [--only 0,3] [--faults] [--fault NAME]');
else if (values.faults || values.fault !== undefined) process.exitCode = await plantEach();
else
  process.exitCode =
    spawnSync(COMMAND[0], COMMAND.slice(1), { stdio: 'inherit', env: { ...process.env, [ASKED]: JSON.stringify([asked]) } }).status ?? 1;

function number(option: string, text: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  console.error(`--${option}: expected a whole number from ${least}${most < 10 ? ` to ${most}` : ''}, found ${JSON.stringify(text)}`);
  process.exit(2);
}

/** 1 when one was not found. */
async function plantEach(): Promise<number> {
  const chosen = faults.filter(({ name }) => values.fault === undefined || name === values.fault);
  if (chosen.length === 0) throw new Error(`--fault: expected one of ${faults.map(({ name }) => name).join(', ')}, found ${values.fault}`);
  let missed = 0;
  for (const fault of chosen) if (!(await find(fault))) missed++;
  return missed > 0 ? 1 : 0;
}

/** Whether a program fails with the fault that holds without it. */
async function find(fault: (typeof faults)[number]): Promise<boolean> {
  const end = asked.first + asked.programs;
  const envOf = (first: number, programs: number) => ({
    [ASKED]: JSON.stringify([{ ...asked, level: fault.level ?? 1, first, programs }]),
  });
  for (let first = asked.first; first < end; ) {
    const { status, output } = await runPlanted(fault, COMMAND, { env: envOf(first, end - first) });
    const after = Number(/after (\d+) programs/.exec(output)?.[1] ?? 0);
    // The run has ended by itself, or by an error of its own, which is no find.
    if (status === 0 || after === 0) return say(fault.name, `NOT FOUND in ${asked.programs} programs`, output.split('\n').slice(-15));
    const failing = first + after - 1;
    const alone = spawnSync(COMMAND[0], COMMAND.slice(1), { env: { ...process.env, ...envOf(failing, 1) } }).status;
    if (alone === 0) {
      const lines = output.split('\n').filter((each) => /^ {2}\d+: |✗|again: /.test(each));
      say(fault.name, `found after ${failing + 1 - asked.first} programs`, lines);
      return true;
    }
    console.log(`${fault.name.padEnd(26)} program ${failing} fails without it too`);
    first = failing + 1;
  }
  return say(fault.name, `NOT FOUND in ${asked.programs} programs`, []);
}

function say(name: string, what: string, lines: readonly string[]): false {
  console.log(`${name.padEnd(26)} ${what}`);
  for (const line of lines) console.log(`    ${line.trim().slice(0, 300)}`);
  return false;
}
