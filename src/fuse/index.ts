/** The configuration of a ThinRuntime's fuse container, and what a mount template renders from it. */
export { type MountTemplate, parseMountTemplate } from '../api/mount-template.ts';
export { argvOf } from './argv.ts';
export { type FuseProgram, clientsOf, type Word } from './clients.ts';
export { type FuseConfig, type FuseMount, type PersistentVolume, parseFuseConfig } from './config.ts';
export { readFuseConfig, secretText } from './files.ts';
export { envFile, mountScript, type Rendered, realigningScript } from './script.ts';
export type { WordPart, Secret } from './values.ts';
export { viewOf } from './view.ts';
export { tellNews, whenever } from './watch.ts';
