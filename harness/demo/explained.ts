import { execFile } from 'node:child_process';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

/** What `sluice explain` prints of a Dataset. It ends with code 1, since something is not well. */
export function explained(kubeconfig: string | undefined, namespace: string, name: string): Promise<readonly string[]> {
  const where = kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [MAIN, 'explain', ...where, '-n', namespace, name], (error, stdout, stderr) => {
      if (error && error.code !== 1) reject(new Error(`sluice explain: ${stderr || error.message}`));
      else resolve(stdout.trimEnd().split('\n'));
    });
  });
}
