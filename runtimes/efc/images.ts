import { imageOf, type PlanInput } from '../../src/constructs/index.ts';
import type { EFCRuntimeSpec } from './spec.ts';

/** Variables of the controller, each with the image where it says nothing: what Fluid's chart sets. */
const PARTS = {
  master: ['EFC_MASTER_IMAGE_ENV', 'efc-master'],
  worker: ['EFC_WORKER_IMAGE_ENV', 'efc-worker'],
  fuse: ['EFC_FUSE_IMAGE_ENV', 'efc-fuse'],
  sessionManager: ['EFC_SESSMGR_IMAGE_ENV', 'efc-fuse'],
  initFuse: ['EFC_INIT_FUSE_IMAGE_ENV', 'init-alifuse'],
} as const;
export const imageVariables = Object.values(PARTS).map(([variable]) => variable);

const REGISTRY = 'registry.cn-zhangjiakou.aliyuncs.com/nascache';
const TAG = 'v1.2.2-19dcee9';

type Env = Readonly<Record<string, string>>;
type Version = Parameters<typeof imageOf>[0];

/** The image of a part, by what a spec says, the controller's environment, and Fluid's chart. */
export function imageOfPart(part: keyof typeof PARTS, env: Env, said?: Version): string {
  const [variable, repository] = PARTS[part];
  return imageOf(said, env[variable], `${REGISTRY}/${repository}:${TAG}`);
}

/** As a container has it. */
export const imageOfRole = ({ spec, settings }: PlanInput<EFCRuntimeSpec>, role: 'master' | 'worker' | 'fuse') => {
  const version = spec[role]?.version;
  return { image: imageOfPart(role, settings.env, version), imagePullPolicy: version?.imagePullPolicy };
};
