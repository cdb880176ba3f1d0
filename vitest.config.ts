import { availableParallelism, totalmem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';

/** Tests that start programs: the command line, generated scripts, the CSI plugin on real mounts, the documentation's own commands. */
const PROGRAMS = [
  'test/cli/**/*.test.ts',
  'test/scripts/**/*.test.ts',
  'test/package/**/*.test.ts',
  'test/csi/real-mounts/**/*.test.ts',
  'test/docs/**/*.test.ts',
  'test/health/**/*.test.ts',
  'test/monitoring/*.test.ts',
  'test/ui/browser/**/*.test.ts',
  'test/install/{image,arm64}.test.ts',
  'test/**/script.test.ts',
  'test/api/shell.test.ts',
  'test/cdk8s.test.ts',
  'test/fuse/needs.test.ts',
  'test/runtimes/juicefs/program.test.ts',
];
const CLUSTER = ['test/cluster/**/*.test.ts', 'test/upstream/**/*.test.ts'];
const SIMULATION = ['test/simulation/**/*.test.ts'];
const NODE = ['test/node/**/*.test.ts'];
/** Engines whose programs take minutes to build, and scenarios that take minutes: not part of `npm test`. */
const ENGINES = ['test/engines/**/*.test.ts'];
/** Programs of a tenant who tries everything: minutes of one event loop. */
const ADVERSARY = ['test/adversary/adversary.test.ts'];

/** What is waited for; a second, vitest's own, is no time on a busy machine. */
const POLL = { expect: { poll: { timeout: 60_000 } } };

/** A cluster takes some 2 GB, and a node with an engine as much again. */
const MOST = totalmem() > 12 * 2 ** 30 ? 4 : 2;
/**
 * Files at a time: vitest refuses to run projects beside each other that have different numbers. One more than processors, since many files
 * wait for programs; unit tests do not, and `npm test` gives them a number of their own.
 */
const maxWorkers = process.env['SLUICE_USE_CLUSTER'] === '1' ? 1 : Math.min(MOST, availableParallelism() + 1);

/** Each file has a node of its own. */
const ON_A_NODE = {
  globalSetup: ['test/node/global-setup.ts'],
  maxWorkers,
  ...POLL,
  testTimeout: 600_000,
  // A node that is held stays up for as long as someone looks at it.
  hookTimeout: process.env['SLUICE_TEST_HOLD'] === '1' ? 0 : 600_000,
};

// `unit` needs nothing but Node and is part of `npm run check`; `programs` starts programs; `cluster` has a real control plane for each
// worker; `node` and `engines` have a real node for each file. Time limits are for what hangs: a busy machine is no failure.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Node reads TypeScript by itself; Vite's runner would transform each file, and a call of an import takes longer there.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...CLUSTER, ...NODE, ...ENGINES, ...SIMULATION, ...PROGRAMS, ...ADVERSARY],
          // To load everything anew for each file would take longer than the tests.
          isolate: false,
          maxWorkers,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...POLL,
        },
      },
      { test: { name: 'programs', include: PROGRAMS, maxWorkers, testTimeout: 120_000, hookTimeout: 120_000, ...POLL } },
      // Worlds that fail at every step, each on a virtual clock: fixed seeds, so that no commit fails by chance.
      { test: { name: 'simulation', include: SIMULATION, maxWorkers, testTimeout: 600_000 } },
      { test: { name: 'adversary', include: ADVERSARY, maxWorkers, testTimeout: 3_600_000 } },
      {
        test: {
          name: 'cluster',
          include: CLUSTER,
          globalSetup: ['test/cluster/global-setup.ts'],
          maxWorkers,
          ...POLL,
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      { test: { name: 'node', include: NODE, ...ON_A_NODE } },
      { test: { name: 'engines', include: ENGINES, ...ON_A_NODE } },
    ],
  },
});
