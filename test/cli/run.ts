/** The real command line, as a process of its own. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function sluice(
  args: readonly string[],
  options: { readonly input?: string | Buffer; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    // Without what the caller's shell may say of clusters and colours.
    const { KUBECONFIG: _k, FORCE_COLOR: _f, ...env } = process.env;
    const child = execFile(
      process.execPath,
      [join(root, 'src/cli/main.ts'), ...args],
      { cwd: root, env: { ...env, ...options.env }, maxBuffer: 16 << 20 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
    child.stdin?.end(options.input ?? '');
  });
}
