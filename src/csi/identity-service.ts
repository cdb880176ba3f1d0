import { csiDriver } from '../api/names.ts';
import type { Log } from '../kube/types.ts';
import type { Handlers } from './grpc/service.ts';
import type { Identity } from './grpc/proto/csi.gen.ts';
import type { Registration } from './grpc/proto/pluginregistration.gen.ts';

export const identity = (version: string): Handlers<typeof Identity> => ({
  getPluginInfo: () => ({ name: csiDriver, vendorVersion: version }),
  getPluginCapabilities: () => ({}),
  probe: () => ({}),
});

/** The service that the kubelet calls when it finds a socket in its plugins_registry. */
export const registration = (endpoint: string, log: Log, onStatus: (error: string | undefined) => void): Handlers<typeof Registration> => ({
  // The version of CSI; the kubelet accepts any 1.x.
  getInfo: () => ({ type: 'CSIPlugin', name: csiDriver, endpoint, supportedVersions: ['1.0.0'] }),
  notifyRegistrationStatus({ pluginRegistered, error }) {
    if (pluginRegistered) log.info({ driver: csiDriver }, 'registered with the kubelet');
    else log.error({ driver: csiDriver, error }, 'the kubelet rejected the plugin');
    onStatus(pluginRegistered ? undefined : error || 'the kubelet rejected the plugin');
    return {};
  },
});
