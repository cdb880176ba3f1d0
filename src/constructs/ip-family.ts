import type { Settings } from './contract.ts';

/** The variable of the controller that names the family of IP addresses of pods: `IPv4`, the default, or `IPv6`. */
export const IP_FAMILY = 'IP_FAMILY';

/**
 * The address at which a server accepts connections to every address of its pod, as URLs and `<host>:<port>` have it. A server that binds the
 * one of IPv6 accepts those of IPv4 too, but cannot start where the kernel has no IPv6.
 * @example
 * const settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
 * anyAddress({ ...settings, env: { [IP_FAMILY]: 'IPv6' } }); // → '[::]'
 */
export const anyAddress = ({ env }: Settings): string => (env[IP_FAMILY] === 'IPv6' ? '[::]' : '0.0.0.0');
