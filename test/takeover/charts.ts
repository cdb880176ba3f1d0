/** Objects that each 1.0.x of the chart of Fluid installs, recorded by scripts/record-charts.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Chart } from './scene.ts';

const { versions, objects } = JSON.parse(readFileSync(join(import.meta.dirname, 'charts.json'), 'utf8')) as {
  readonly versions: Readonly<Record<string, readonly string[]>>;
  readonly objects: Readonly<Record<string, KubeObject>>;
};

export const VERSIONS: readonly string[] = Object.keys(versions);

/** As helm installs it, with one replica of every controller. */
export function chartOf(version: string): Chart {
  const annotations = { 'meta.helm.sh/release-name': 'fluid', 'meta.helm.sh/release-namespace': 'default' };
  const installed = versions[version]!.map((hash) => {
    const object = JSON.parse(JSON.stringify(objects[hash]!).replaceAll('<tag>', `v${version}-0123456`)) as KubeObject;
    const replicas = object.kind === 'Deployment' && { spec: { ...(object['spec'] as object), replicas: 1 } };
    return { ...object, ...replicas, metadata: { ...object.metadata, annotations } };
  });
  const controllers = installed.flatMap(({ kind, metadata: { name } }) =>
    kind === 'Deployment' ? (/^(?:(dataset)|(\w+)runtime)-controller$/.exec(name)?.slice(1).filter(Boolean) ?? []) : [],
  );
  return { version, objects: installed, controllers };
}
