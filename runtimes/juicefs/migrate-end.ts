import type { EnvVar } from '../../src/api/index.ts';
import type { Mounted } from '../../src/constructs/index.ts';

export type Field = 'from' | 'to';

/** Where a DataMigrate reads or writes. */
export interface End {
  /** As `juicefs sync` takes it, but for credentials. */
  readonly url: string;
  /** As its user knows it. */
  readonly name: string;
  /** In which file system, and where in it, with a slash at its end. Absent for a store. */
  readonly place?: string;
  /** From Secrets. */
  readonly env: readonly EnvVar[];
  /** The variables `EXTERNAL_*` among them belong into the URL. */
  readonly hasKeys?: boolean;
  /** The volume that is mounted for it. */
  readonly mounted?: Mounted;
  /** How to log in at the vendor's console before: arguments of `juicefs auth`, as the kubelet expands them. */
  readonly login?: { readonly args: readonly string[]; readonly env: readonly EnvVar[] };
}
