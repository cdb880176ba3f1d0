import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ViewerSession, Viewers } from './viewers.ts';

/** The one viewer of `sluice ui` on their own machine, who has the address that the command printed. */
export interface OneViewer extends Viewers {
  /** The token of the address, which signs in once. */
  readonly token: string;
}

/** @param session what is seen with the kubeconfig of the one who started the command */
export function oneViewer(session: Omit<ViewerSession, 'ended'>): OneViewer {
  const token = secret();
  const cookie = secret();
  const stopped = new AbortController();
  const only: ViewerSession = { ...session, ended: stopped.signal };
  let isUsed = false;
  return {
    token,
    async signIn(given) {
      if (!isSame(given, token) || isUsed) return undefined;
      isUsed = true;
      return cookie;
    },
    of: async (given) => (isUsed && given.cookie !== undefined && isSame(given.cookie, cookie) ? only : undefined),
    stop: () => stopped.abort(),
  };
}

/** 32 bytes that nobody guesses, as a text for an address or a cookie. */
export const secret = (): string => randomBytes(32).toString('base64url');

/** In a time that says nothing of how much is the same. */
function isSame(a: string, b: string): boolean {
  const [x, y] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(x as Buffer, y as Buffer);
}
