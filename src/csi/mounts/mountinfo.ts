/** One line of /proc/self/mountinfo: proc_pid_mountinfo(5). */
export interface MountInfo {
  /** Unique among the mounts of the moment; used again later. */
  readonly id: number;
  readonly parent: number;
  /** `major:minor` of the file system. A FUSE client that was started anew has a new one, for as long as anything of the old one is mounted. */
  readonly device: string;
  /** Which directory of the file system is mounted here. */
  readonly root: string;
  readonly mountPoint: string;
  readonly readOnly: boolean;
  /** A mount on it appears on its peers too, and the other way round. */
  readonly shared: boolean;
  readonly fsType: string;
  readonly source: string;
  /** All of it, as the kernel prints it. */
  readonly line: string;
}

/**
 * Lines that cannot be read are passed over: the kernel may learn to print more, and the others still stand.
 * threat-model: R-mount-table
 */
export function parseMountinfo(text: string): readonly MountInfo[] {
  const mounts: MountInfo[] = [];
  for (const line of text.split('\n')) {
    const mount = parseLine(line);
    if (mount) mounts.push(mount);
  }
  return mounts;
}

function parseLine(line: string): MountInfo | undefined {
  const [id, parent, device, root, mountPoint, options, ...rest] = line.split(' ');
  const dash = rest.indexOf('-');
  if (!id || !parent || !device || !root || !mountPoint || !options || dash === -1) return undefined;
  return {
    id: Number(id),
    parent: Number(parent),
    device,
    root: plain(root),
    mountPoint: plain(mountPoint),
    readOnly: options === 'ro' || options.startsWith('ro,'),
    shared: rest.some((field, i) => i < dash && field.startsWith('shared:')),
    fsType: rest[dash + 1] ?? '',
    source: plain(rest[dash + 2] ?? ''),
    line,
  };
}

/** The kernel writes blank, tab, newline and backslash as three octal digits. */
const plain = (text: string): string =>
  text.includes('\\') ? text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))) : text;

/** The mounts at exactly this path, the lowest first: each is mounted on the root of the one before. */
export function stackAt(mounts: readonly MountInfo[], path: string): readonly MountInfo[] {
  const here = mounts.filter(({ mountPoint }) => mountPoint === path);
  if (here.length < 2) return here;
  const ids = new Set(here.map(({ id }) => id));
  const byParent = new Map(here.map((mount) => [mount.parent, mount]));
  const stack: MountInfo[] = [];
  let next = here.find(({ parent }) => !ids.has(parent));
  while (next && stack.length < here.length) {
    stack.push(next);
    next = byParent.get(next.id);
  }
  return stack;
}

/** The visible mount at exactly this path: the uppermost one there. */
export const topAt = (mounts: readonly MountInfo[], path: string): MountInfo | undefined => stackAt(mounts, path).at(-1);

/**
 * The mounts at this path and below it, in an order in which they can be unmounted by their paths: always one on which nothing is
 * mounted, and which no other mount hides. Where all that are left are hidden from outside, no order helps; they come last.
 */
export function mountsUnder(mounts: readonly MountInfo[], path: string): readonly MountInfo[] {
  const under = mounts.filter(({ mountPoint }) => isWithin(mountPoint, path));
  const ids = new Set(under.map(({ id }) => id));
  const roots = under.filter(({ id, parent }) => id === parent || !ids.has(parent));
  const children = Map.groupBy(
    under.filter(({ id, parent }) => id !== parent),
    ({ parent }) => parent,
  );
  // Among the mounts on one parent, one nearer to its root may hide others, and none farther away hides it.
  const byDepth = (some: readonly MountInfo[]) => some.toSorted((a, b) => a.mountPoint.length - b.mountPoint.length);
  const order: MountInfo[] = [];
  const next = byDepth(roots);
  for (let mount = next.pop(); mount; mount = next.pop()) {
    order.push(mount);
    for (const child of byDepth(children.get(mount.id) ?? [])) next.push(child);
  }
  return order.toReversed();
}

/** `/a/b` is within `/a` and within `/a/b`, not within `/a/bc`. */
export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);

/** The mount on which a path lies. */
export function mountOf(mounts: readonly MountInfo[], path: string): MountInfo | undefined {
  const points = mounts.filter(({ mountPoint }) => isWithin(path, mountPoint)).map(({ mountPoint }) => mountPoint);
  const deepest = points.reduce<string | undefined>(
    (best, point) => (best === undefined || point.length > best.length ? point : best),
    undefined,
  );
  return deepest === undefined ? undefined : topAt(mounts, deepest);
}

/** A program serves it. EFC brings a kernel module of its own, whose mounts have the type alifuse.aliyun-alinas-efc. */
export const isFuse = ({ fsType }: Pick<MountInfo, 'fsType'>): boolean => /^(ali)?fuse/.test(fsType);

/** Options of the mount itself, such as `rw,nosuid,relatime`; those of its file system are others. */
export const optionsOf = ({ line }: MountInfo): string => line.split(' ')[5] ?? '';

/** Neither a setuid file nor a device node of it has an effect. */
export const isHarmless = (mount: MountInfo): boolean => {
  const options = optionsOf(mount).split(',');
  return options.includes('nosuid') && options.includes('nodev');
};
