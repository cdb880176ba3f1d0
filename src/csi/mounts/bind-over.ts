import type { Host } from './host.ts';
import { NotBound } from './not-bound.ts';
import type { BindMount } from './binding.ts';

/**
 * Binds on top of the mount at the target, since a running container sees only what is mounted on the layer that it has. Where that
 * is impossible, in place of it: nothing can be mounted on a directory that was removed, and the kernel takes a sub path of a client that
 * has ended for removed as soon as any process accesses it. Returns whether running containers see it.
 *
 * @throws NotBound
 */
export async function bindOver(host: Host, binding: BindMount): Promise<boolean> {
  try {
    await host.bind(binding);
    return true;
  } catch (error) {
    if (!(error instanceof NotBound && error.why === 'dead end')) throw error;
  }
  await host.bind({ ...binding, inPlace: true });
  return false;
}
