/** Real clusters for tests, benches and the demo: a control plane with simulated nodes, and a real node. Not published. */
export { type Cluster, type ControlPlaneHandle, connectControlPlane, type SharedControlPlane } from './control-plane/connect.ts';
export { type ControlPlane, startControlPlane } from './control-plane/control-plane.ts';
export { useExistingCluster } from './existing-cluster.ts';
export type { ImageDefinition } from '../scripts/image/archive.ts';
export {
  ALLUXIO_IMAGE,
  alluxioImage,
  BUSYBOX_IMAGE,
  FILE_SYSTEMS_IMAGE,
  fileSystemsImage,
  FUSE_IMAGE,
  fuseImage,
  EFC_STAND_IN_IMAGE,
  efcStandInImage,
  JUICEFS_IMAGE,
  juicefsImage,
  MINIO_IMAGE,
  minioImage,
  MOOSEFS_IMAGE,
  moosefsImage,
  VINEYARD_FUSE_STAND_IN_IMAGE,
  VINEYARD_IMAGE,
  vineyardFuseStandInImage,
  vineyardImage,
  whyNoAlluxio,
  whyNoFileSystems,
  whyNoMooseFS,
  whyNoJuiceFS,
  whyNoVineyard,
} from './node/images.ts';
export { FAKE_GCS_IMAGE, fakeGcsImage, GCSFUSE_IMAGE, gcsfuseImage, SEAWEEDFS_IMAGE, seaweedfsImage } from './node/engine-images.ts';
export { type RealNode, startNode, whyNoNode } from './node/node.ts';
