import type { Log } from '../kube/types.ts';
import type { Handlers } from './grpc.ts';
import type { Identity } from './proto/csi.gen.ts';
import type { Registration } from './proto/pluginregistration.gen.ts';

/** As Fluid's: volumes that it made are served without a change. */
export const DRIVER = 'fuse.csi.fluid.io';

export const identity = (version: string): Handlers<typeof Identity> => ({
  getPluginInfo: () => ({ name: DRIVER, vendorVersion: version }),
  getPluginCapabilities: () => ({}),
  probe: () => ({}),
});

/** What the kubelet asks when it has found our socket in its plugins_registry. */
export const registration = (endpoint: string, log: Log, onTold: (error: string | undefined) => void): Handlers<typeof Registration> => ({
  // The version is that of CSI, of which the kubelet takes any 1.x.
  getInfo: () => ({ type: 'CSIPlugin', name: DRIVER, endpoint, supportedVersions: ['1.0.0'] }),
  notifyRegistrationStatus({ pluginRegistered, error }) {
    if (pluginRegistered) log.info({ driver: DRIVER }, 'registered with the kubelet');
    else log.error({ driver: DRIVER, error }, 'the kubelet refuses us');
    onTold(pluginRegistered ? undefined : error || 'the kubelet refuses us');
    return {};
  },
});
