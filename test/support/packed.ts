/** The package that users get: packed, and installed by npm into a folder of its own. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packed } from '../../scripts/pack.ts';

export { packed };

/** A folder with this package.json, in which the package and these others (`name@version`) are installed. The caller removes it. */
export async function installed(packages: readonly string[] = [], fields: object = {}): Promise<string> {
  const archive = await packed();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-installed-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...fields }));
  const { code, output } = await ran(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', archive, ...packages);
  if (code === 0) return folder;
  rmSync(folder, { recursive: true, force: true });
  throw new Error(`npm install ended with code ${code}: ${output}`);
}

/** Runs a program in a folder, with the project's own Node; its output and error output are joined. */
export function ran(cwd: string, program: string, ...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const env = { ...process.env, PATH: `${join(cwd, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env['PATH']}` };
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
  });
}
