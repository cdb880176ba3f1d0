/** With SLUICE_TEST_HOLD=1 a node stays up when its test would stop it, for a look around. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Prints how to reach the node in `dir`, and returns when the file `hold` in that folder has been deleted; at once unless `asked`. */
export async function untilReleased(dir: string, kubeconfig: string, asked = process.env['SLUICE_TEST_HOLD'] === '1'): Promise<void> {
  if (!asked) return;
  const file = join(dir, 'hold');
  writeFileSync(file, '');
  console.error(`held: ${dir}\n  export KUBECONFIG=${kubeconfig}\n  rm ${file}    # to let the test end`);
  while (existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 200));
}
