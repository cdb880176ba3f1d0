import type { Registry } from 'prom-client';
import { buildRows } from '../api/metrics/controller.ts';
import { registered } from '../kube/metrics/registered.ts';
import { version } from './version.ts';

/** Shows which version runs, as each program of Sluice does. */
export function showBuild(registry: Registry): void {
  registered(registry, buildRows).sluice_build_info.set({ version: version() }, 1);
}
