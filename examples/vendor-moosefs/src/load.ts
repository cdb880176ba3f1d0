import { literal, loadTargets, type Operation, OperationJob } from '@sluice-data/sluice';
import type { Construct } from 'constructs';
import { LOAD } from './load-script.ts';
import type { MooseFSPlan } from './plan.ts';

/** Copies files from the web servers of the Dataset's mounts into MooseFS. */
export class MooseFSLoad extends OperationJob {
  constructor(scope: Construct, plan: MooseFSPlan, load: Operation<'DataLoad'>) {
    const mounts = plan.sources.flatMap(({ path, url }) => [literal(path), literal(url)]);
    super(scope, plan, load, {
      containers: [
        {
          name: 'dataloader',
          image: plan.image,
          command: ['python3', '/scripts/load.py', plan.masterHost],
          args: [...loadTargets(load).map(({ path }) => literal(path)), '--', ...mounts],
        },
      ],
      scripts: { 'load.py': LOAD },
    });
  }
}
