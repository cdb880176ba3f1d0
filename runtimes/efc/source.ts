import type { DatasetSpec } from '../../src/api/index.ts';
import { must } from '../../src/constructs/index.ts';

/** The source that EFC mounts. */
export interface Source {
  /** `<file system>.<region>.nas.aliyuncs.com:/<directory>/`. */
  readonly address: string;
  /** CPFS is reached by the protocol of NFS, which EFC has to be told. */
  readonly isCpfs: boolean;
}

/** An access point of NAS, or an export of CPFS, whose directories are all below /share. */
const NAS = /^nfs:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*\.nas\.aliyuncs\.com:\/.*)$/i;
const CPFS = /^cpfs:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)*\.cpfs\.aliyuncs\.com:\/share(?:\/.*)?)$/i;
const EXPECTED = 'nfs://<file system>.<region>.nas.aliyuncs.com:/<directory> or cpfs://<file system>.<region>.cpfs.aliyuncs.com:/share';

/** The first mount, which is the only one that EFC has. */
export function sourceOf({ mounts: [mount] = [] }: DatasetSpec): Source {
  must(mount, 'spec.mounts', 'a mount', undefined);
  const { mountPoint } = mount;
  const field = 'spec.mounts[0].mountPoint';
  const [, nas] = NAS.exec(mountPoint) ?? [];
  const [, cpfs] = CPFS.exec(mountPoint) ?? [];
  const address = nas ?? cpfs;
  must(address !== undefined, field, EXPECTED, mountPoint);
  must(!/[\s\p{Cc}"'`$\\]/u.test(address), field, 'no blanks, quotes, "$" and "\\"', mountPoint);
  must(!address.split('/').includes('..'), field, 'a directory without ".."', mountPoint);
  return { address: address.endsWith('/') ? address : `${address}/`, isCpfs: cpfs !== undefined };
}
