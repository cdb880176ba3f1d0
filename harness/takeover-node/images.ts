/** Images of Fluid's programs, laid out as its own images are. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageDefinition, ImageFiles } from '../../scripts/image/archive.ts';
import type { FluidBuild } from '../fluid/build.ts';
import { BASE_FILES, busyboxFiles, programFiles } from '../node/debian-files.ts';

export const FLUID_TAG = 'built';
/** All programs are in one image, which has the names of each. */
export const FLUID_IMAGE = `localhost/fluid:${FLUID_TAG}`;
const REGISTRAR_IMAGE = `localhost/csi-node-driver-registrar:${FLUID_TAG}`;

/** The names under which the chart wants the image. */
export const fluidImageNames = [
  'dataset-controller',
  'alluxioruntime-controller',
  'juicefsruntime-controller',
  'thinruntime-controller',
  'application-controller',
  'fluid-webhook',
  'fluid-csi',
];

const PROGRAMS = [
  'dataset-controller',
  'alluxioruntime-controller',
  'juicefsruntime-controller',
  'thinruntime-controller',
  'fluidapp-controller',
  'fluid-webhook',
  'fluid-csi',
  'ddc-helm',
];

export function fluidImage({ checkout, bin, charts }: FluidBuild): ImageDefinition {
  const scripts = ['entrypoint.sh', 'check_mount.sh', 'check_bind_mounts.sh'];
  const files = {
    ...BASE_FILES,
    ...busyboxFiles(),
    ...programFiles('/usr/bin/bash'),
    ...Object.fromEntries(PROGRAMS.map((name) => [`/usr/local/bin/${name}`, { from: join(bin, name) }])),
    ...Object.fromEntries(scripts.map((name) => [`/usr/local/bin/${name}`, { from: join(checkout, 'csi/shell', name) }])),
    '/etc/k8s-webhook-server/certs': { directory: true },
    ...textsBelow(charts, '/charts'),
  } as const;
  return { name: FLUID_IMAGE, files };
}

export const registrarImage = (program: string): ImageDefinition => ({
  name: REGISTRAR_IMAGE,
  files: { ...BASE_FILES, '/csi-node-driver-registrar': { from: program } },
  entrypoint: ['/csi-node-driver-registrar'],
});

const textsBelow = (folder: string, path: string): ImageFiles =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((from) => [`${path}${from.slice(folder.length)}`, { from, mode: 0o644 }]),
  );
