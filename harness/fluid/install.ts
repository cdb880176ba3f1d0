/** Fluid's own chart, installed by helm as an operator does. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FluidBuild } from './build.ts';

/** The variables of Fluid's programs and of helm: settings and temporary files of theirs are below this folder. */
export function variablesBelow(folder: string, { bin }: FluidBuild): Readonly<Record<'PATH' | 'HOME' | 'TMPDIR', string>> {
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, TMPDIR: temporary };
}

/** @param flags further ones of `helm install` */
export async function installChart(
  build: FluidBuild,
  { kubeconfig, home }: { readonly kubeconfig: string; readonly home: string },
  flags: readonly string[],
): Promise<void> {
  const argv = ['install', 'fluid', build.chart, '--namespace', 'default', ...flags];
  await promisify(execFile)(join(build.bin, 'ddc-helm'), argv, { env: { ...variablesBelow(home, build), KUBECONFIG: kubeconfig } });
}
