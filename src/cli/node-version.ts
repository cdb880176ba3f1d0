/** The oldest Node that runs Sluice, as in `engines` of package.json; a test compares the two. */
export const OLDEST_NODE = '22.19';

/** Why a version of Node is too old, or undefined. */
export function whyTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = OLDEST_NODE.split('.').map(Number);
  const isOld = major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
  return isOld ? `expected Node ${OLDEST_NODE} or newer, found ${version}` : undefined;
}
