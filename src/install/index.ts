export { type InstallationParts, installationOf } from './installation.ts';
export { InstallOptions, type Settled, settled } from './options.ts';
