import type { Construct } from 'constructs';
import { type BasePlan, loadTargets, type Operation, OperationJob } from '../../src/constructs/index.ts';

/** The smallest load that a runtime could have. */

export interface LoadPlan extends BasePlan {
  readonly image: string;
}

export class ExampleLoad extends OperationJob {
  constructor(scope: Construct, plan: LoadPlan, load: Operation<'DataLoad'>) {
    super(scope, plan, load, {
      containers: [
        {
          name: 'dataloader',
          image: plan.image,
          command: ['/bin/sh', '/scripts/load.sh'],
          args: [
            ...loadTargets(load).map(({ path }) => path),
            ...Object.entries(load.spec.options ?? {}).map(([name, value]) => `--${name}=${value}`),
          ],
        },
      ],
      scripts: { 'load.sh': 'set -e\nexample load "$@"\n' },
    });
  }
}
