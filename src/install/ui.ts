import { Construct } from 'constructs';
import { PlainObject, type Runtime } from '../constructs/index.ts';
import { Account } from './account.ts';
import { manifestEnvironment } from './controller.ts';
import { declaredBy } from './declared.ts';
import { labels, selector } from './labels.ts';
import { inEnv, UI_MEMORY } from './memory.ts';
import { ingressOnly } from './network.ts';
import { environment, replicas } from './replicas.ts';
import { uiRights } from './rights.ts';
import type { Settled } from './settled.ts';
import { UI_PORT } from './ui-port.ts';

const UI = 'sluice-ui';

/** The page for viewers of the cluster: one replica, since sessions are in its memory. It has no TLS: an Ingress before it has. */
export class Ui extends Construct {
  constructor(scope: Construct, options: Settled, runtimes: readonly Runtime[]) {
    super(scope, 'ui');
    const { namespace, ui } = options;
    new Account(this, 'account', { name: UI, namespace, part: 'ui', rights: uiRights(runtimes) });
    ingressOnly(this, UI, options, 'ui', ['page']);
    new PlainObject(this, 'service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: UI, namespace, labels: labels('ui') },
      spec: { selector: selector('ui'), ports: [{ name: 'page', port: 80, targetPort: 'page', protocol: 'TCP' }] },
    });
    replicas(this, options, {
      name: UI,
      part: 'ui',
      component: { ...ui, replicas: 1, podDisruptionBudget: false },
      container: {
        args: ['ui', '--in-cluster', ...options.configArgs, ...(ui.args ?? [])],
        env: environment(
          [
            // A preview renders what the controller would.
            ...manifestEnvironment(options),
            { name: 'SLUICE_IMAGE', value: options.image },
            ...inEnv(declaredBy(runtimes, options)),
            ...inEnv(UI_MEMORY),
          ],
          ui.env,
        ),
      },
      ports: [{ name: 'page', containerPort: UI_PORT, protocol: 'TCP' }],
    });
  }
}
