import type { IncomingMessage } from 'node:http';

/** Headers of every answer: nothing but the page's own files runs, and no other page frames it or learns its address. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/**
 * Why a request is refused before anything of it is read; undefined if it is not. A page of another origin may send requests here, and by a
 * name of its own that leads to this machine (DNS rebinding): the first have another Origin, the second another Host.
 *
 * @param hosts the values of Host that lead here; absent: any
 */
export function whyForeign({ headers, method }: IncomingMessage, hosts: ReadonlySet<string> | undefined): string | undefined {
  const host = headers.host ?? '';
  if (hosts && !hosts.has(host.toLowerCase())) return `expected ${[...hosts].join(' or ')} as Host`;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    // A link from elsewhere may open the page, and nothing else.
    if (headers['sec-fetch-mode'] !== 'navigate' || method !== 'GET') return 'expected a request of this page, found one of another site';
  }
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return 'expected a request of this page, found another Origin';
  if (method === 'POST' && origin === undefined && site === undefined && headers['x-sluice-ui'] === undefined)
    return 'expected Origin, or the header X-Sluice-Ui of a program';
  return undefined;
}

/** The value of a cookie. */
export function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [key = '', value] = part.trim().split('=');
    if (key === name) return value;
  }
  return undefined;
}

/** The token that a proxy sends for the one who has signed in there. */
export const bearerOf = ({ headers }: IncomingMessage): string | undefined =>
  /^bearer +([\w.~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1];
