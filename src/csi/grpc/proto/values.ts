/** Values of CSI's enums, which csi.proto declares as numbers. */

/** NodeServiceCapability.RPC.Type. */
export const capability = { STAGE_UNSTAGE_VOLUME: 1, GET_VOLUME_STATS: 2, VOLUME_CONDITION: 4 } as const;
/** VolumeUsage.Unit. */
export const unit = { BYTES: 1, INODES: 2 } as const;
