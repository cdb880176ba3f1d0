import { anyAddress, environment, mountedAt, podBase, volumesOf, fromField } from '../../src/constructs/index.ts';
import { imageFor, type Input, plain, users } from './pod.ts';
import { containerPort, type Ports } from './ports.ts';

/** The user that Fluid runs etcd as. */
const USER = 1001;
const DATA = '/etcd-data';
const OWN = mountedAt(DATA, 'etcd-data', { emptyDir: {} });

/** A member of etcd. */
export function masterPod(input: Input, { masters, ports }: { readonly masters: readonly string[]; readonly ports: Ports }) {
  const { spec, namespace, name, runtime } = input;
  const at = (pod: string, port: number) => `http://${pod}.${runtime.workloads.master}.${namespace}:${port}`;
  const listenAt = anyAddress(input.settings);
  const isUsers = dataMount(spec) !== undefined;
  // A volume of the user at the place of the data replaces ours, under any name.
  const mounted = isUsers ? users(input, 'master', []) : [OWN, ...users(input, 'master', [OWN])];
  const { volumes, volumeMounts } = volumesOf(mounted);
  return {
    ...podBase(spec, spec.master),
    volumes,
    ...(isUsers && { securityContext: { fsGroup: USER } }),
    container: {
      ...imageFor('master', input),
      command: [
        'etcd',
        '--name=$(POD_NAME)',
        `--initial-advertise-peer-urls=${at('$(POD_NAME)', ports.peer)}`,
        `--listen-peer-urls=http://${listenAt}:${ports.peer}`,
        `--advertise-client-urls=${at('$(POD_NAME)', ports.client)}`,
        `--listen-client-urls=http://${listenAt}:${ports.client}`,
        `--initial-cluster-token=${name}`,
        '--initial-cluster-state=new',
        `--initial-cluster=${masters.map((pod) => `${pod}=${at(pod, ports.peer)}`).join()}`,
        // Members may share a volume of the user.
        `--data-dir=${isUsers ? `${DATA}/$(POD_NAME)` : DATA}`,
      ],
      env: [fromField('POD_NAME', 'metadata.name'), ...environment(spec.master?.env)],
      ports: [containerPort('client', ports.client), containerPort('peer', ports.peer)],
      resources: spec.master?.resources,
      volumeMounts,
      securityContext: { privileged: false, runAsNonRoot: true, runAsUser: USER },
    },
  };
}

const dataMount = ({ master }: Input['spec']) => master?.volumeMounts?.find(({ mountPath }) => plain(mountPath) === DATA);

/** Whether a member whose pod is deleted has its data again. */
export function keepsData(spec: Input['spec']): boolean {
  const name = dataMount(spec)?.name;
  const volume = spec.volumes?.find((each) => each.name === name);
  return volume !== undefined && !volume.emptyDir;
}
