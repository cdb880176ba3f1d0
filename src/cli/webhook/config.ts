import { DEFAULT_NAMESPACE } from '../../install/fluid.ts';
import type { Log } from '../../kube/types.ts';
import type { WebhookSettings } from '../../webhook/admission.ts';
import { type Address, addressOf, booleanOf, complete, dnsLabel, oneOf, platformLabelOf, portOf } from '../settings/config-values.ts';
import { version } from '../version.ts';

export interface WebhookFlags {
  readonly port?: string;
  readonly metricsAddr?: string;
}
export interface WebhookConfig {
  readonly port: number;
  /** Address of /healthz, /readyz and /metrics. */
  readonly address?: Address;
  /** Namespace of the Service, the Secret and the ConfigMap. */
  readonly namespace: string;
  readonly settings: Omit<WebhookSettings, 'prefetcher'>;
  /** FILE_PREFETCHER_IMAGE. */
  readonly prefetcherImage?: string;
  /** SLUICE_IMAGE. */
  readonly image?: string;
}

export const WEBHOOK_ENVIRONMENT = `
Environment, as in Fluid except for SLUICE_…:
  MY_POD_NAMESPACE, MY_POD_NAME
                               the webhook's own pod: namespace of its Service, Secret and ConfigMap (default
                               fluid-system), and its image
  DISABLE_INJECTION            true: no pod is changed
  KEY_SERVERLESS_PLATFORM      a label that asks for sidecars, and whose value names the platform
  FUSE_SIDECAR_INJECTION_MODE  native-sidecar (default): sidecars are restartable init containers;
                               default or legacy: they are containers
  FILE_PREFETCHER_IMAGE        image of file prefetchers (default: SLUICE_IMAGE)
  SLUICE_IMAGE                 Sluice's own image (default: that of the pod, else sluice:<version>)`;

/** Throws UsageError with every fault at once. */
export function webhookConfigOf(flags: WebhookFlags, env: Readonly<Record<string, string | undefined>>): WebhookConfig {
  return complete((read) => {
    const address = read('--metrics-addr', flags.metricsAddr, addressOf, undefined);
    const platformLabel = read('KEY_SERVERLESS_PLATFORM', env['KEY_SERVERLESS_PLATFORM'], platformLabelOf, undefined);
    const mode = read(
      'FUSE_SIDECAR_INJECTION_MODE',
      env['FUSE_SIDECAR_INJECTION_MODE'],
      oneOf('native-sidecar', 'default', 'legacy'),
      'native-sidecar',
    );
    return {
      port: read('--port', flags.port, portOf, 9443),
      ...(address && { address }),
      namespace: read('MY_POD_NAMESPACE', env['MY_POD_NAMESPACE'], dnsLabel, DEFAULT_NAMESPACE),
      settings: {
        disabled: read('DISABLE_INJECTION', env['DISABLE_INJECTION'], booleanOf, false),
        // Every Kubernetes that Sluice runs on has them.
        nativeSidecars: mode === 'native-sidecar',
        ...(platformLabel !== undefined && { platformLabel }),
      },
      ...(env['FILE_PREFETCHER_IMAGE'] && { prefetcherImage: env['FILE_PREFETCHER_IMAGE'] }),
      ...(env['SLUICE_IMAGE'] && { image: env['SLUICE_IMAGE'] }),
    };
  });
}

/** The image of file prefetchers. `ours` is the image of the webhook's own pod, if it runs in one. */
export const prefetcherOf = ({ prefetcherImage, image }: WebhookConfig, ours: string | undefined): WebhookSettings['prefetcher'] => ({
  image: prefetcherImage ?? image ?? ours ?? `sluice:${version()}`,
  isOurs: prefetcherImage === undefined,
});

/** A setting by which pods that ask for a sidecar start without it must not go unnoticed. */
export function warnOf({ disabled }: Pick<WebhookSettings, 'disabled'>, log: Log): void {
  if (disabled) log.warn({}, 'DISABLE_INJECTION is true: no pod is changed, and pods that ask for a sidecar start without it');
}
