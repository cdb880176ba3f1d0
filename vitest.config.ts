import { defineConfig } from 'vitest/config';

// Two projects: `unit` needs nothing but Node; `cluster` starts real control planes and so runs its files one after the other.
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/cluster/**', 'test/upstream/**'] } },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts', 'test/upstream/**/*.test.ts'],
          globalSetup: ['test/cluster/global-setup.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
