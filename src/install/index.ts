export { chartFiles } from './chart/chart.ts';
export { directoryFaults } from './directory-faults.ts';
export { installationOf } from './installation.ts';
export { isBoard } from './monitoring.ts';
export { monitoringFiles } from './monitoring-files.ts';
export { InstallOptions } from './options.ts';
export { CONFIG_IN_IMAGE, settled } from './settled.ts';
export { valuesOf } from './values.ts';
