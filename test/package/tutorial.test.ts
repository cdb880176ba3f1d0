/** docs/adding-a-runtime.md, followed word for word in an empty folder, up to the cluster, with the package as npm packs it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { between, blocks, root, type Transcript, transcripts, TUTORIAL } from '../docs/pages.ts';
import { baseImage } from '../support/base-image.ts';
import { canRun } from '../support/can-run.ts';
import { kubectlFolder } from '../support/kubectl.ts';
import { packed, ran } from '../support/packed.ts';

const { name, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly devDependencies: Readonly<Record<string, string>>;
};
const page = blocks.filter((block) => block.page === TUTORIAL);
/** In the order of the page. What needs a cluster is typed in test/node/tutorial.ts. */
const commands = page.flatMap(({ language, text }) => (language === 'console' ? transcripts(text) : language === 'sh' ? typed(text) : []));
const kubectl = kubectlFolder();
const canPlay = canRun('the playground of the tutorial', kubectl === undefined ? 'there is no kubectl' : undefined);

function typed(text: string): readonly Transcript[] {
  const lines = text.split('\n').filter((line) => /^(npm|npx) /.test(line) && !line.startsWith('npx sluice reconcile'));
  return lines.map((line) => ({ command: line.replace(/ \| kubectl .*$/, ''), answer: '…' }));
}

describe('the tutorial', () => {
  let folder = '';
  let archive = '';
  beforeAll(async () => {
    archive = await packed();
    folder = mkdtempSync(join(tmpdir(), 'sluice-tutorial-'));
    for (const { file, text } of page) {
      if (!file) continue;
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    // A stand-in for the archive of `docker save`.
    baseImage(folder, 'sluice-image.tar');
  }, 600_000);
  afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

  // One after the other, in one folder: none can be tried again alone.
  test.for(commands)('$ $command', { timeout: 600_000 }, async ({ command, answer }, { skip }) => {
    skip(!canPlay && command.includes('kubectl'), 'there is no kubectl');
    const { code, output } = await ran(folder, 'sh', '-c', `unset CI; PATH="$PATH:${kubectl}"; ${here(command)}`);
    const isRefused = /^\S+:\d+: /m.test(answer);
    expect({ code, missing: between(output, answer) }, output).toEqual({ code: isRefused ? 2 : 0, missing: undefined });
  });

  test.each(['minimal', 'cached'])('its golden manifest %s is that of the page', async (golden) => {
    const file = `test/golden/rclone/${golden}.yaml`;
    await expect(readFileSync(join(folder, file), 'utf8')).toMatchFileSnapshot(join(root, file));
  });

  test('the image and the manifests that it leads to are there', () => {
    expect(existsSync(join(folder, 'image.tar'))).toBe(true);
    expect(readFileSync(join(folder, 'sluice.yaml'), 'utf8')).toContain('name: rcloneruntimes.data.fluid.io\n');
  });

  /** No registry has the package yet, and others come in the versions with which Sluice is tested. */
  function here(command: string): string {
    if (!command.startsWith('npm install ')) return command;
    const words = command.split(' ').map((word) => {
      const version = devDependencies[word];
      return word === name ? archive : version === undefined ? word : `${word}@${version}`;
    });
    return [...words, '--no-audit', '--no-fund', '--prefer-offline'].join(' ');
  }
});
