import { type ContainerProps, env, Fuse, Master, podService, sh, Worker } from '@sluice-data/sluice';
import type { Construct } from 'constructs';
import type { MooseFSPlan } from './plan.ts';

const PORTS = [
  { name: 'chunks', containerPort: 9420, protocol: 'TCP' },
  { name: 'clients', containerPort: 9421, protocol: 'TCP' },
] as const;

/** Keeps the names of files, and where their chunks are. */
export class MooseFSMaster extends Master {
  constructor(scope: Construct, plan: MooseFSPlan) {
    const directory = `${plan.directory}/master`;
    const settings = [...asRoot(directory), 'EXPORTS_FILENAME = /tmp/exports.cfg'];
    // While the master runs, and after a crash, metadata.mfs has another name.
    const script = sh`set -e
mkdir -p ${directory}
ls ${directory} | grep -q '^metadata\.mfs' || cp /var/lib/mfs/metadata.mfs.empty ${`${directory}/metadata.mfs`}
echo '* / rw,alldirs,maproot=0' > /tmp/exports.cfg
printf '%s\n' ${settings} > /tmp/moosefs.cfg
exec mfsmaster -f -n -a -c /tmp/moosefs.cfg start`;
    const readinessProbe = { tcpSocket: { port: 'clients' }, periodSeconds: 1 };
    super(scope, plan, {
      ...pod(plan, { ...container(plan, 'master', script), ports: [...PORTS], readinessProbe }),
      // The server tries to store metadata of a deleted Dataset, whose directory is gone. A killed server reads its changelog (-a).
      terminationGracePeriodSeconds: 10,
    });
    podService(this, plan, plan.masterHost, { ports: PORTS });
  }
}

/** Keeps the chunks of files. */
export class MooseFSWorker extends Worker {
  constructor(scope: Construct, plan: MooseFSPlan) {
    // Several pods of one node have a directory each.
    const settings = [...asRoot(''), `MASTER_HOST = ${plan.masterHost}`, 'HDD_CONF_FILENAME = /tmp/hdd.cfg', ...plan.chunkServer];
    const script = sh`set -e
directory=${plan.directory}/${env('HOSTNAME')}
mkdir -p "$directory/chunks"
echo "$directory/chunks" > /tmp/hdd.cfg
printf '%s\n' ${settings} | sed "s|^DATA_PATH = .*|DATA_PATH = $directory|" > /tmp/moosefs.cfg
exec mfschunkserver -f -n -c /tmp/moosefs.cfg start`;
    const readinessProbe = { tcpSocket: { port: 9422 }, periodSeconds: 1 };
    super(scope, plan, pod(plan, { ...container(plan, 'worker', script), readinessProbe }));
  }
}

/** Mounts the file system on the nodes of its users. */
export class MooseFSFuse extends Fuse {
  constructor(scope: Construct, plan: MooseFSPlan) {
    const list = plan.options === '' ? [] : ['-o', plan.options];
    // A client that was killed left a mount that answers no more.
    const script = sh`umount -l ${plan.mountPath} 2>/dev/null
mkdir -p ${plan.mountPath}
exec mfsmount -f -H ${plan.masterHost} ${list} ${plan.mountPath}`;
    const lifecycle = { preStop: { exec: { command: ['umount', '-l', plan.mountPath] } } };
    super(scope, plan, { containers: [{ ...container(plan, 'fuse', script), lifecycle }] });
  }
}

const asRoot = (directory: string) => ['WORKING_USER = root', 'WORKING_GROUP = root', `DATA_PATH = ${directory}`];

const container = ({ image, resources }: MooseFSPlan, role: string, script: string): ContainerProps => ({
  name: `moosefs-${role}`,
  image,
  command: ['sh', '-c', script],
  resources,
});

const pod = ({ dataDir }: MooseFSPlan, only: ContainerProps) => ({
  containers: [{ ...only, volumeMounts: [{ name: 'data', mountPath: dataDir }] }] as const,
  volumes: [{ name: 'data', hostPath: { path: dataDir, type: 'DirectoryOrCreate' } }],
});
