/**
 * A fuse DaemonSet whose pods are as the controller rendered them, as the annotation `data.fluid.io/verified-fuse` of the Dataset's volume
 * names it: `<name>/<uid>/<generation>/<hash>`. Users who may write DaemonSets may not write volumes. The API server alone sets UID and
 * generation, and raises the generation with each change of the spec, so exactly one spec is meant.
 */
export interface VerifiedFuse {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  /** The hash of the rendered manifest. */
  readonly hash: string;
}

export const verifiedFuseText = ({ name, uid, generation, hash }: VerifiedFuse): string => [name, uid, generation, hash].join('/');

/** Undefined: it says nothing that could be true. */
export function verifiedFuseIn(text: string | undefined): VerifiedFuse | undefined {
  const [name = '', uid = '', digits = '', hash = '', ...more] = text?.split('/') ?? [];
  const generation = Number(digits);
  const isWhole = name !== '' && uid !== '' && hash !== '' && more.length === 0;
  return isWhole && Number.isSafeInteger(generation) && generation > 0 ? { name, uid, generation, hash } : undefined;
}
