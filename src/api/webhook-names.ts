/** Names of the webhook's objects. Those of pods are Fluid's, so that an installation over Fluid's replaces them in place. */
export const webhookNames = {
  configuration: 'fluid-pod-admission-webhook',
  service: 'fluid-pod-admission-webhook',
  secret: 'fluid-webhook-certs',
  /** ConfigMap of the plugins. */
  profile: 'webhook-plugins',
  path: '/mutate-fluid-io-v1alpha1-schedulepod',
  port: 9443,
  /** ValidatingWebhookConfiguration of Sluice's own kinds. Fluid has none. */
  validation: 'sluice-validation',
  /** Where these kinds are judged. */
  validationPath: '/validate-data-fluid-io',
} as const;

/** Labels of the webhook's Secret: `uninstall` deletes only what has them. */
export const webhookSecretLabels = { 'app.kubernetes.io/name': 'sluice', 'app.kubernetes.io/part-of': 'sluice' } as const;
