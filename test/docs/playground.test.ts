/** The page of the playground, in the shell that it opens. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canRun } from '../support/can-run.ts';
import { kubectlFolder } from '../support/kubectl.ts';
import { PLAYGROUND } from './pages.ts';
import { followPage, opening } from './playground-page.ts';

const kubectl = kubectlFolder();

describe.skipIf(!canRun(PLAYGROUND, kubectl === undefined ? 'there is no kubectl' : undefined))('the page of the playground', () => {
  const { kubeconfig, ended } = followPage(async () => ({ command: opening, folders: [kubectl ?? ''] }));

  test('nothing remains when the shell has ended', async () => {
    expect(existsSync(kubeconfig())).toBe(true);
    expect(await ended()).toBe(0);
    expect(existsSync(dirname(kubeconfig()))).toBe(false);
  });
});
