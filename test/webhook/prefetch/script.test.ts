/** The scripts by which an application waits for its files, as shells run them. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkCommand, waitCommand } from '../../../src/webhook/prefetch/scripts.ts';
import { folder } from '../../cli/folder.ts';

describe.each(['dash', 'bash'])('in %s', (shell) => {
  const run = ([, ...args]: readonly string[]) => spawnSync(shell, args).status;
  const at = (name: string) => join(folder({}), `a '$(touch pwned)' ${name}`);

  test('a hook ends when the files are read', () => {
    const status = at('status');
    writeFileSync(status, '');
    const began = performance.now();
    expect(run(waitCommand(status, 3600))).toBe(0);
    expect(performance.now() - began).toBeLessThan(60_000);
  });
  test('a hook ends after its time, and does not fail', () => {
    expect(run(waitCommand(at('status'), 1))).toBe(0);
  });
  test('a probe fails until the files are read', () => {
    const [status, counter] = [at('status'), at('counter')];
    const check = checkCommand(status, 3600, counter);
    expect([run(check), run(check)]).toEqual([1, 1]);
    writeFileSync(status, '');
    expect(run(check)).toBe(0);
  });
  test('a probe succeeds after its time', () => {
    const check = checkCommand(at('status'), 2, at('counter'));
    expect([run(check), run(check), run(check), run(check)]).toEqual([1, 1, 0, 0]);
  });
  test('a probe that cannot count succeeds', () => {
    expect(run(checkCommand(at('status'), 2, '/proc/nowhere/counter'))).toBe(0);
  });
});
