import { Gauge, type Registry } from 'prom-client';
import { version } from './version.ts';

/** Shows which version runs, as each program of Sluice does. */
export function showBuild(registry: Registry): void {
  const build = new Gauge({
    name: 'sluice_build_info',
    help: '1, with the version of Sluice that runs.',
    labelNames: ['version'],
    registers: [registry],
  });
  build.set({ version: version() }, 1);
}
