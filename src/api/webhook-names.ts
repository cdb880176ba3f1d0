/** Names of the webhook's objects. All are Fluid's, so that an installation over Fluid's replaces them in place. */
export const webhookNames = {
  configuration: 'fluid-pod-admission-webhook',
  service: 'fluid-pod-admission-webhook',
  secret: 'fluid-webhook-certs',
  path: '/mutate-fluid-io-v1alpha1-schedulepod',
  port: 9443,
} as const;
