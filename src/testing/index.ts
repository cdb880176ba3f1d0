/** What tests of runtimes and of clusters need; published as `sluice/testing`. */

export { conformance } from './conformance.ts';
export type { Behaviour } from './control-plane/behaviours.ts';
export {
  type Cluster,
  type ControlPlaneHandle,
  connectControlPlane,
  type SharedControlPlane,
} from './control-plane/connect.ts';
export type { CannedAnswer, ExecAnswers } from './control-plane/exec-answers.ts';
export type { ExecAnswer, ExecCall } from './control-plane/exec-call.ts';
export type { SimulatedNodes } from './control-plane/nodes.ts';
export type { Misbehaviour, SimulatedPods } from './control-plane/pod-control.ts';
export type { PodTarget } from './control-plane/pod-target.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';
export { type ExistingCluster, useExistingCluster } from './existing-cluster.ts';
export { type Given, planInput } from './given.ts';
export { buildImage, type ImageDefinition, type ImageFile, type ImageFiles } from './node/image.ts';
export {
  ALLUXIO_IMAGE,
  alluxioImage,
  BUSYBOX_IMAGE,
  FUSE_IMAGE,
  fuseImage,
  JUICEFS_STAND_IN_IMAGE,
  juicefsStandInImage,
  MINIO_IMAGE,
  minioImage,
  whyNoAlluxio,
} from './node/images.ts';
export { type NodeOptions, type RealNode, startNode, whyNoNode } from './node.ts';
export {
  type ApiRequest,
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
  type HeldRequests,
  type Interference,
  type LoggedRequest,
  type Match,
  type MemoryClientOptions,
  Refusal,
  type Refused,
  type Rule,
  type Rules,
  type Verb,
} from './api-server/index.ts';
export { type Controller, type Controllers, createControllers } from './api-server/controllers/index.ts';
