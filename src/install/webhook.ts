import { Construct } from 'constructs';
import { webhookNames, webhookSecretLabels } from '../api/webhook-names.ts';
import { PlainObject, type Runtime } from '../constructs/index.ts';
import { Account } from './account.ts';
import { declaredBy } from './declared.ts';
import { labels, selector } from './labels.ts';
import { inEnv, VALIDATION_MEMORY, WEBHOOK_MEMORY } from './memory.ts';
import { ingressOnly } from './network.ts';
import type { Settled } from './settled.ts';
import { environment, fieldEnv, replicas } from './replicas.ts';
import { validationRights, webhookRights, webhookRightsAtHome } from './rights.ts';
import { validationEntry, webhookEntries } from './webhook-entries.ts';

const WEBHOOK = 'sluice-webhook';

/**
 * The admission webhook of pods. Service and configuration have Fluid's names, so over a Fluid installation the API server asks these pods
 * from then on. The configuration comes last: `uninstall` deletes it first, and no pod is held up by a webhook that no longer runs.
 *
 * No ConfigMap `webhook-plugins`: applied again, it would undo an operator's edits, and without it the defaults count.
 */
export class Webhook extends Construct {
  constructor(scope: Construct, options: Settled, runtimes: readonly Runtime[]) {
    super(scope, 'webhook');
    const { namespace, webhook } = options;
    const { timeoutSeconds, reinvocationPolicy } = webhook;
    new Account(this, 'account', {
      name: WEBHOOK,
      namespace,
      part: 'webhook',
      rights: [...webhookRights(runtimes), ...(webhook.validation ? validationRights(runtimes) : [])],
      rightsAtHome: webhookRightsAtHome,
    });
    // Without `data` and `type`, which the webhook writes: however it is applied again, it keeps its keys.
    new PlainObject(this, 'certificates', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: webhookNames.secret, namespace, labels: { ...labels('webhook'), ...webhookSecretLabels } },
    });
    ingressOnly(this, WEBHOOK, options, 'webhook', ['webhook']);
    new PlainObject(this, 'service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: webhookNames.service, namespace, labels: labels('webhook') },
      spec: { selector: selector('webhook'), ports: [{ name: 'webhook', port: 443, targetPort: 'webhook', protocol: 'TCP' }] },
    });
    replicas(this, options, {
      name: WEBHOOK,
      part: 'webhook',
      component: webhook,
      container: container(options, runtimes),
      ports: [{ name: 'webhook', containerPort: webhookNames.port, protocol: 'TCP' }],
    });
    new PlainObject(this, 'configuration', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: webhookNames.configuration, labels: labels('webhook') },
      webhooks: webhookEntries(webhook).map((entry) => ({
        ...entry,
        // Without caBundle, which the webhook itself writes.
        clientConfig: { service: { namespace, name: webhookNames.service, path: webhookNames.path, port: 443 } },
        admissionReviewVersions: ['v1', 'v1beta1'],
        sideEffects: 'None',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' }],
        timeoutSeconds,
        reinvocationPolicy,
      })),
    });
    if (!webhook.validation) return;
    new PlainObject(this, 'validation', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: webhookNames.validation, labels: labels('webhook') },
      webhooks: [
        {
          ...validationEntry(runtimes),
          clientConfig: { service: { namespace, name: webhookNames.service, path: webhookNames.validationPath, port: 443 } },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
        },
      ],
    });
  }
}

const container = ({ webhook, controllerEnv, mountRoot, configArgs }: Settled, runtimes: readonly Runtime[]) => ({
  args: ['webhook', ...configArgs, ...(webhook.validation ? ['--validate'] : []), ...(webhook.args ?? [])],
  env: environment(
    [
      fieldEnv('MY_POD_NAMESPACE', 'metadata.namespace'),
      fieldEnv('MY_POD_NAME', 'metadata.name'),
      ...(webhook.platformLabel === undefined ? [] : [{ name: 'KEY_SERVERLESS_PLATFORM', value: webhook.platformLabel }]),
      // Objects are judged by the settings of the controller.
      ...(webhook.validation ? [{ name: 'MOUNT_ROOT', value: mountRoot }, ...inEnv(declaredBy(runtimes, { controllerEnv }))] : []),
      ...inEnv(webhook.validation ? VALIDATION_MEMORY : WEBHOOK_MEMORY),
    ],
    webhook.env,
  ),
});
