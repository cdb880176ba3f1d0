import { execFile } from 'node:child_process';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

/**
 * The output of `sluice explain` for a Dataset, in colours if this process has them. The command ends with code 1, since the Dataset has a
 * fault.
 */
export function explained(kubeconfig: string | undefined, namespace: string, name: string): Promise<readonly string[]> {
  const where = kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig];
  const env = { ...process.env, ...(process.stdout.isTTY && process.stdout.hasColors() && { FORCE_COLOR: '1' }) };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [MAIN, 'explain', ...where, '-n', namespace, name], { env }, (error, stdout, stderr) => {
      if (error && error.code !== 1) reject(new Error(`sluice explain: ${stderr || error.message}`));
      else resolve(stdout.trimEnd().split('\n'));
    });
  });
}
