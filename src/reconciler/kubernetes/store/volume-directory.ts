/**
 * The directory on nodes to which a volume leads, by its CSI attributes.
 * @example
 * directoryOf({ fluid_path: '/mnt/images', fluid_sub_path: './train/' }); // → '/mnt/images/train'
 */
export function directoryOf({ fluid_path: path = '', fluid_sub_path: below = '' }: Readonly<Record<string, string>>): string {
  const parts = `${path}/${below}`.split('/').filter((part) => part !== '' && part !== '.');
  return `/${parts.join('/')}`;
}
