/** The walk-through of ThinRuntimes that Fluid's authors wrote: its image, and the pod of its last step. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/kube/types.ts';
import type { ImageDefinition } from '../../harness/index.ts';
import { root } from '../cli/run.ts';
import { canRun } from '../support/can-run.ts';
import { imageWith } from './walk-through.ts';

const SEED = resolve(root, '../shared/seeds/004_fd22d1c79bc876ca.txt');
export const hasSeed = canRun("Fluid's own script", existsSync(SEED) ? undefined : `no ${SEED}`);
export const SEED_IMAGE = 'localhost/fluid-minio-goofys:seed';
export const PRINTED_IMAGE = 'localhost/fluid-minio-goofys:printed';
/** How a profile calls them. */
export const SEED_COMMAND = ['sh', '-c', 'python3 /fluid-config-parse.py && chmod u+x ./mount-minio.sh && ./mount-minio.sh'];

/** The script of Fluid's walk-through, as it is printed and with its last assignments for both kinds of mount points; s3fs for goofys. */
export function seedImages(): readonly ImageDefinition[] {
  if (!hasSeed) return [];
  const [, numbered = ''] = /^fluid-config-parse\.py [^\n]*\n([^]*?)^```/m.exec(readFileSync(SEED, 'utf8')) ?? [];
  const printed = numbered
    .split('\n')
    .map((line) => line.replace(/^\d+ ?/, '').trimEnd())
    .join('\n')
    .replace(/exec goofys .*/, 'exec s3fs "$bucket" $targetPath -f -o url="$url" -o use_path_request_style,allow_other,ro');
  const path = '/fluid-config-parse.py';
  return [imageWith(path, printed.replace(/^ {8}(?=f\.write\("ak)/gm, '    '), SEED_IMAGE), imageWith(path, printed, PRINTED_IMAGE)];
}

/**
 * The pod that reads without a CSI plugin, as it is printed: in lines that begin with their numbers, in three columns. Its volumes are printed
 * two columns too far to the right, as a part of the container.
 */
export function seedPod(): KubeObject {
  const block = readFileSync(SEED, 'utf8')
    .split('```')
    .find((part) => part.includes('kind: Pod') && part.includes('serverless.fluid.io/inject'));
  const lines = block?.split('\n').filter((line) => /^\d/.test(line)) ?? [];
  const volumes = lines.findIndex((line) => line.includes('volumes:'));
  return parse(lines.map((line, i) => line.slice(volumes !== -1 && i >= volumes ? 5 : 3)).join('\n')) as KubeObject;
}
