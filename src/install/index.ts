export { installationOf } from './installation.ts';
export { InstallOptions, settled } from './options.ts';
