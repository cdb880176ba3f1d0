#!/usr/bin/env node
/**
 * The only module that knows every runtime. Everything is loaded when it is needed, so that a process holds only its own command. The check
 * for an old Node comes before any import that an old Node would not load.
 */
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import { whyTooOld } from './node-version.ts';

const tooOld = whyTooOld(process.versions.node);
if (tooOld !== undefined) {
  console.error(`sluice: ${tooOld}`);
  process.exitCode = 1;
} else {
  // With sources whose types were stripped before, the start takes half the time and 25 MB less.
  // Node's own place is below /tmp, where any user of the machine could have put code for this one.
  const cache = process.env['XDG_CACHE_HOME'] || (process.env['HOME'] && join(process.env['HOME'], '.cache'));
  if (cache && isAbsolute(cache)) module.enableCompileCache(join(cache, 'sluice'));
  // `sluice synth … | head` closes the pipe early, which is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const { run } = await import('./program.ts');
  process.exitCode = await run(process.argv.slice(2), {
    runtimes: async () => (await import('../../runtimes/_all.gen.ts')).runtimes,
    resources: async () => (await import('../../runtimes/_resources.gen.ts')).resources,
  });
}
