/** The page of Fluid's Python SDK, in the shell that it opens, and each kind of runtime and operation that the SDK knows. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { wheelDir } from '../../harness/tools/wheels.ts';
import { canRun } from '../support/can-run.ts';
import { kubectlFolder } from '../support/kubectl.ts';
import { blocks, PLAYGROUND, PYTHON, read, root } from './pages.ts';
import { followPage } from './playground-page.ts';

/** Debian's, for which pip has chosen the wheels. */
const PYTHON3 = '/usr/bin/python3';
const sdk = wheelDir('fluid-pysdk');
const kubectl = kubectlFolder();
const lacking = [kubectl === undefined && 'kubectl', ...[sdk, PYTHON3].map((path) => !existsSync(path) && path)].filter(Boolean);

test('the page installs what the tests have', () => {
  const pinned = readFileSync(join(root, 'tools/node/fluid-pysdk/requirements.txt'), 'utf8');
  const [, version, below] = /pip install fluid-pysdk==(\S+) 'kubernetes<(\d+)'/.exec(read(PYTHON)) ?? [];
  expect(pinned).toContain(`\nfluid-pysdk==${version} `);
  expect(pinned).toContain(`\nkubernetes==${Number(below) - 1}.`);
});

describe.skipIf(!canRun(PYTHON, lacking.length > 0 ? `missing here: ${lacking.join(', ')}` : undefined))(
  'the page of the Python SDK',
  () => {
    const opening = blocks.find(({ page, text }) => page === PYTHON && text.includes(' playground ')) ?? { text: '' };
    const { kubeconfig, ended } = followPage(
      async () => ({ command: opening.text, folders: [kubectl ?? '', '/usr/bin'], env: { PYTHONPATH: sdk } }),
      PYTHON,
    );

    test('the SDK binds each kind of runtime, and runs a sequence of each kind of operation', async () => {
      const env = { ...process.env, PYTHONPATH: sdk, KUBECONFIG: kubeconfig() };
      const { stdout } = await promisify(execFile)(PYTHON3, [join(import.meta.dirname, 'fluid-pysdk.py')], { env });
      expect(stdout.trim().split('\n')).toEqual([
        ...['alluxio', 'jindo', 'juicefs', 'efc', 'vineyard'].map((kind) => `${kind}: Bound, Ready`),
        'run-step1: Complete',
        'run-step2: Complete',
        'run-step3: Complete',
      ]);
    });
    test('nothing remains when the shell has ended', async () => expect(await ended()).toBe(0));

    test('the page opens the shell as that of the playground does', () => expect(read(PLAYGROUND)).toContain(opening.text));
  },
);
