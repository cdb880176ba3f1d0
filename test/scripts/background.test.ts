/** `npm test` and set-up, which builds beside the first tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MODULE = join(import.meta.dirname, '../../scripts/background.ts');

/** A process that runs a shell script beside itself. */
function program(script: string, rest: string) {
  const text = `
    import { inBackground } from '${MODULE}';
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
    const background = inBackground(['sh', '-c', ${JSON.stringify(script)}], (line) => line.startsWith('urgent'));
    ${rest}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', text], { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('it is niced; urgent lines come at once, others when it is waited for, and its exit code last', async () => {
  const child = program(
    'echo early; echo urgent >&2; nice; sleep 0.5; exit 3',
    `setTimeout(async () => { console.log('waiting'); console.log(await background.shown(), background.isRunning()); }, 300)`,
  );
  const lines = (await child.stdout.toArray()).join('').trim().split('\n');
  expect(lines).toEqual(['urgent', 'waiting', 'early', expect.stringMatching(/^1\d$/), '3 false']);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it, with what it has started', async (signal) => {
  const child = program('sleep 300 & echo urgent $!; wait', 'setInterval(() => {}, 1000)');
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const pid = Number(/\d+/.exec(said.toString())?.[0]);
  expect(isAlive(pid)).toBe(true);
  child.kill(signal);
  await once(child, 'exit');
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
