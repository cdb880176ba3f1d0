import { Construct } from 'constructs';
import type { Runtime } from '../constructs/index.ts';
import { Account } from './account.ts';
import { CONTROLLER_MEMORY, inEnv } from './memory.ts';
import { ingressOnly } from './network.ts';
import type { Settled } from './settled.ts';
import { environment, fieldEnv, replicas } from './replicas.ts';
import { ReservedKeys } from './reserved-keys.ts';
import { controllerRights, electionRights } from './rights.ts';

const CONTROLLER = 'sluice-controller';

/** The controller: replicas of which one leads and the others stand by. */
export class Controller extends Construct {
  constructor(scope: Construct, options: Settled, runtimes: readonly Runtime[]) {
    super(scope, 'controller');
    const { namespace, controller } = options;
    new Account(this, 'account', {
      name: CONTROLLER,
      namespace,
      part: 'controller',
      rights: controllerRights(runtimes),
      rightsAtHome: electionRights,
    });
    const { reservedKeys: mode, reservedKeysAllow: allow } = options;
    if (mode) new ReservedKeys(this, 'reserved-keys', { account: `system:serviceaccount:${namespace}:${CONTROLLER}`, mode, allow });
    ingressOnly(this, CONTROLLER, options, 'controller');
    replicas(this, options, { name: CONTROLLER, part: 'controller', component: controller, container: container(options) });
  }
}

const container = (options: Settled) => ({
  args: [
    'reconcile',
    ...options.configArgs,
    ...(options.controller.openReferences ? ['--open-references'] : []),
    `--dataset-metrics=${options.controller.datasetMetrics}`,
    ...(options.controller.args ?? []),
  ],
  env: environment(
    [
      fieldEnv('MY_POD_NAME', 'metadata.name'),
      fieldEnv('MY_POD_NAMESPACE', 'metadata.namespace'),
      ...manifestEnvironment(options),
      ...(options.webhook.platformLabel === undefined ? [] : [{ name: 'KEY_SERVERLESS_PLATFORM', value: options.webhook.platformLabel }]),
      ...inEnv(CONTROLLER_MEMORY),
    ],
    options.controller.env,
  ),
});

/** Variables on which manifests of runtimes depend. */
export const manifestEnvironment = ({ registry, imagePullSecrets, criticalFusePods, kubeletDir, mountRoot }: Settled) => [
  ...(registry === undefined ? [] : [{ name: 'SLUICE_REGISTRY', value: registry }]),
  { name: 'MOUNT_ROOT', value: mountRoot },
  { name: 'KUBELET_ROOTDIR', value: kubeletDir },
  // Pods of runtimes pull images of the same registries, and the default of Fluid's chart counts the data of a Jindo.
  ...(imagePullSecrets.length > 0 ? [{ name: 'IMAGE_PULL_SECRETS', value: imagePullSecrets.map(({ name }) => name).join() }] : []),
  ...(criticalFusePods ? [] : [{ name: 'CRITICAL_FUSE_POD', value: 'false' }]),
  { name: 'QUERY_UFS_TOTAL', value: 'true' },
];
