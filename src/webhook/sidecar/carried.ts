import type { Container, Volume } from '../../api/index.ts';
import { clientName } from '../../api/sidecars.ts';
import type { Pod } from '../pod.ts';
import type { FuseClient } from './client.ts';
import type { ClientContainers } from './containers.ts';
import { freshNames } from './names.ts';

/** The parts of a client that a pod gets, under names that the pod does not have. */
export interface Carried {
  /** The client first. */
  readonly clients: readonly Container[];
  readonly inits: readonly Container[];
  /** Those that these containers use. */
  readonly volumes: readonly Volume[];
}

/** @param directory name of the pod's directory on the host */
export function carriedInto({ spec }: Pod, client: FuseClient, placed: ClientContainers, number: number, directory: string): Carried {
  const { client: first, others, inits, home } = placed;
  const used = new Set(
    [first, ...others, ...inits].flatMap(({ volumeMounts = [], volumeDevices = [] }) =>
      [...volumeMounts, ...volumeDevices].map(({ name }) => name),
    ),
  );
  const onHost = (name: string, path: string): Volume => ({ name, hostPath: { path, type: 'DirectoryOrCreate' } });
  const volumes = [
    ...(client.spec.volumes ?? [])
      .filter(({ name }) => used.has(name))
      .map((volume) => (volume.name === client.home.name ? onHost(volume.name, `${client.home.hostPath}/${directory}`) : volume)),
    ...(home === undefined ? [] : [onHost(home, client.home.hostPath)]),
  ];
  const fresh = freshNames((spec.volumes ?? []).map(({ name }) => name));
  const names = new Map(volumes.map(({ name }) => [name, fresh.take(`${name}-${number}`)]));
  const renamed = <T extends { name: string }>(each: T): T => ({ ...each, name: names.get(each.name) ?? each.name });
  const taken = freshNames([...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name));
  const named = (container: Container, name: string): Container => ({
    ...container,
    name: taken.take(name),
    ...(container.volumeMounts && { volumeMounts: container.volumeMounts.map(renamed) }),
    ...(container.volumeDevices && { volumeDevices: container.volumeDevices.map(renamed) }),
  });
  const prefix = clientName(number);
  return {
    clients: [named(first, prefix), ...others.map((each) => named(each, `${prefix}-${each.name}`))],
    inits: inits.map((each) => named(each, `${prefix}-${each.name}`)),
    volumes: volumes.map(renamed),
  };
}
