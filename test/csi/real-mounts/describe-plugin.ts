import { afterAll, beforeAll, describe } from 'vitest';
import { canRun } from '../../support/can-run.ts';
import { startMountNode, type TestNode, whyNoMounts } from './mount-node.ts';
import type { TestPlugin } from './plugin.ts';

/** The shared part of the tests. A test that ends the plugin puts another in its place. */
export interface At {
  node: TestNode;
  plugin: TestPlugin;
}

/** Tests of a plugin on a node of their own. Both start before the first test, and end after the last. `lacks`: why they cannot run. */
export function describePlugin(title: string, options: Record<string, unknown>, define: (at: At) => void, lacks?: string): void {
  const canMount = canRun('tests of mounts', whyNoMounts() ?? lacks);
  describe.skipIf(!canMount)(title, () => {
    // Filled in before the first test.
    const at = {} as At;
    beforeAll(async () => {
      at.node = await startMountNode();
      at.plugin = await at.node.startPlugin(options);
    });
    afterAll(async () => {
      await at.plugin?.end();
      await at.node?.close();
    });
    define(at);
  });
}
