import type { Construct } from 'constructs';
import { type ContainerProps, Fuse, sh, Worker } from '../../../../constructs/index.ts';
import type { NewFsPlan } from './plan.ts';

/** Keeps the cache. */
export class NewFsWorker extends Worker {
  constructor(scope: Construct, plan: NewFsPlan) {
    const directories = plan.cache.flatMap(({ path }) => ['--dir', path]);
    const command = ['sh', '-c', sh`exec new-fs cache ${directories} ${plan.source}`];
    const volumeMounts = plan.cache.map(({ path, volume }) => ({ name: volume.name, mountPath: path }));
    super(scope, plan, {
      containers: [{ ...container(plan, 'worker'), command, volumeMounts }],
      volumes: plan.cache.map(({ volume }) => volume),
    });
  }
}

/** Mounts the file system on the nodes of its users. */
export class NewFsFuse extends Fuse {
  constructor(scope: Construct, plan: NewFsPlan) {
    const { options, source, mountPath } = plan;
    const list = options ? ['-o', options] : [];
    const command = ['sh', '-c', sh`exec new-fs mount ${list} ${source} ${mountPath}`];
    super(scope, plan, { containers: [{ ...container(plan, 'fuse'), command }] });
  }
}

const container = ({ image, env, resources }: NewFsPlan, role: 'worker' | 'fuse'): ContainerProps => ({
  name: `new-fs-${role}`,
  image,
  env,
  resources,
});
