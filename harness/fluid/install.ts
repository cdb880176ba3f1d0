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

interface Where {
  readonly kubeconfig: string;
  readonly home: string;
}

/** Runs the helm of Fluid's images. Rejects, with its output, if it ends with another code than 0. */
export async function helm(build: FluidBuild, { kubeconfig, home }: Where, argv: readonly string[]): Promise<string> {
  const env = { ...variablesBelow(home, build), KUBECONFIG: kubeconfig };
  return (await promisify(execFile)(join(build.bin, 'ddc-helm'), argv, { env })).stdout;
}

/** @param flags further ones of `helm install` */
export const installChart = (build: FluidBuild, where: Where, flags: readonly string[]): Promise<string> =>
  helm(build, where, ['install', 'fluid', build.chart, '--namespace', 'default', ...flags]);
