export { chartFiles } from './chart/chart.ts';
export { directoryFaults } from './directory-faults.ts';
export { installationOf } from './installation.ts';
export { CONFIG_IN_IMAGE, InstallOptions, settled } from './options.ts';
export { valuesOf } from './values.ts';
