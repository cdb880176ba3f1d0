/** The table of mounts that the example's masters keep: by path, the rest of its line as `example mounts` prints it. */
export type Mounted = Map<string, string>;

export const mountsText = (mounted: ReadonlyMap<string, string>): string =>
  [...mounted].map(([path, rest]) => `${path} ${rest}\n`).join('');

/** Takes `mount [--option=k=v…] PATH SOURCE` and `unmount PATH`; true where the table may have changed. */
export function obey(mounted: Mounted, [verb, ...args]: readonly string[]): boolean {
  if (verb === 'unmount') return mounted.delete(args.at(-1) ?? '');
  if (verb !== 'mount') return false;
  const options = args.flatMap((arg) => {
    const [, key = '', value = ''] = /^--option=([^=]+)=(.*)$/.exec(arg) ?? [];
    return key ? [[key, value] as const] : [];
  });
  mounted.set(args.at(-2) ?? '', `${args.at(-1)} ${JSON.stringify(Object.fromEntries(options))}`);
  return true;
}
