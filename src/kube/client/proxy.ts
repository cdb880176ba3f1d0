import { BlockList, isIP } from 'node:net';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a server, by the rules of Go, which kubectl follows (golang.org/x/net/http/httpproxy).
 *
 * @throws Error that names the variable, if its value is not the URL of a proxy that Sluice can use
 */
export function proxyFromEnvironment(server: string, env: Env): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = env[name] || env[name.toLowerCase()];
  if (!value) return undefined;
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const isExempt =
    isLoopback(host) || exempts(env['NO_PROXY'] || env['no_proxy'] || '', host, port || (protocol === 'https:' ? '443' : '80'));
  return isExempt ? undefined : proxyUrl(name, value.includes('://') ? value : `http://${value}`);
}

/** Checks the URL of a proxy. `where` names it in the error, which does not quote what may have a password. */
export function proxyUrl(where: string, value: string): string {
  const { protocol } = URL.parse(value) ?? {};
  if (protocol === 'http:' || protocol === 'https:') return value;
  throw new Error(
    `${where}: expected the URL of an http or https proxy, found ${protocol === undefined ? 'no URL' : `one of ${protocol}//`}`,
  );
}

const isLoopback = (host: string): boolean => host === 'localhost' || contains('127.0.0.0', 8, host) || host === '::1';

/** NO_PROXY: `*`, an address, a range of addresses, or a name, which names below it too; a name with a leading dot is only those below it. */
const exempts = (list: string, host: string, port: string): boolean =>
  list.split(',').some((entry) => {
    const text = entry.trim().toLowerCase();
    if (text === '' || text === '*') return text === '*';
    const [range = '', bits] = text.split('/');
    if (bits !== undefined && isIP(range)) return contains(range, Number(bits), host);
    const [, bracketed, plain = bracketed ?? text, wanted] = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(text) ?? [];
    if (wanted !== undefined && wanted !== port) return false;
    const name = plain.replace(/^\*\./, '.').replace(/^\[(.*)\]$/, '$1');
    if (isIP(name)) return contains(name, isIP(name) === 6 ? 128 : 32, host);
    return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
  });

function contains(range: string, bits: number, host: string): boolean {
  const [family, other] = [isIP(range), isIP(host)];
  if (family !== other || !Number.isInteger(bits) || bits < 0 || bits > (family === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(range, bits, family === 6 ? 'ipv6' : 'ipv4');
  return list.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
