import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { gitopsReader } from '../../harness/tools/tools.ts';
import type { KubeObject } from '../../src/kube/types.ts';

/** How a reader of others understands an object. */
export interface Health {
  readonly status: string;
  readonly message: string;
}

/** Why no object can be read; undefined if it can. */
export function lackingReader(): string | undefined {
  try {
    return existsSync(gitopsReader()) ? undefined : 'gitops-reader is missing';
  } catch (error) {
    return (error as Error).message;
  }
}

/** The answer of the library of kstatus about each object, or of a health check of Argo CD: `['kstatus']`, `['lua', <file>]`. */
export function read(how: readonly string[], objects: readonly (KubeObject | object)[]): readonly Health[] {
  const input = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const { status: code, stdout, stderr } = spawnSync(gitopsReader(), how, { input, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (code !== 0) throw new Error(stderr);
  return stdout
    .split('\n')
    .slice(0, objects.length)
    .map((line) => ({ status: line.split('\t')[0] ?? '', message: line.split('\t')[1] ?? '' }));
}
