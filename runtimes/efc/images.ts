import { imageTable } from '../../src/constructs/index.ts';

const at = (repository: string): string => `registry.cn-zhangjiakou.aliyuncs.com/nascache/${repository}:v1.2.2-19dcee9`;

/** Where an installation says nothing, what Fluid's chart sets. */
export const images = imageTable({
  master: ['EFC_MASTER_IMAGE_ENV', at('efc-master')],
  worker: ['EFC_WORKER_IMAGE_ENV', at('efc-worker')],
  fuse: ['EFC_FUSE_IMAGE_ENV', at('efc-fuse')],
  sessionManager: ['EFC_SESSMGR_IMAGE_ENV', at('efc-fuse')],
  initFuse: ['EFC_INIT_FUSE_IMAGE_ENV', at('init-alifuse')],
});
