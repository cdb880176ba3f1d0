import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Refused } from '../../../src/cli/errors.ts';
import { connect } from '../../../src/cli/settings/connection.ts';
import { folder } from '../folder.ts';

const kubeconfig = (user: string, cluster = '') => `
current-context: one
contexts:
- { name: one, context: { cluster: c, user: u, namespace: ml } }
clusters:
- { name: c, cluster: { server: "https://api:6443", certificate-authority: ca.crt ${cluster} } }
users:
- { name: u, user: ${user} }
`;

describe('a kubeconfig', () => {
  test('is found by the environment, of several files those that exist', async () => {
    const path = folder({ config: kubeconfig('{ token: t }'), 'ca.crt': 'CA' });
    const { server, namespace, token } = await connect({ context: 'one' }, { KUBECONFIG: `/no/such/file:${join(path, 'config')}:` });
    expect([server, namespace, await token?.()]).toEqual(['https://api:6443', 'ml', 't']);
  });
  test('that names a context it does not have says which it has', async () => {
    const path = folder({ config: kubeconfig('{}'), 'ca.crt': '' });
    await expect(connect({ kubeconfig: join(path, 'config'), context: 'two' }, {})).rejects.toThrow(
      `kubeconfig ${join(path, 'config')}: expected a context named two, found one`,
    );
  });
  test('that does not exist is named in the error', async () => {
    await expect(connect({ kubeconfig: '/no/such/file' }, {})).rejects.toThrow('expected a kubeconfig at /no/such/file');
    await expect(connect({}, { KUBECONFIG: '/no/such:/nor/this' })).rejects.toThrow('expected a kubeconfig at /no/such or /nor/this');
  });
});

describe('a proxy of the environment', () => {
  const env = { HTTPS_PROXY: 'http://env:3128' };
  test('leads to the server of a kubeconfig that names no proxy', async () => {
    const path = folder({ config: kubeconfig('{}'), own: kubeconfig('{}', ', proxy-url: "http://own:3128"'), 'ca.crt': '' });
    const proxyOf = async (file: string, more = {}) => (await connect({ kubeconfig: join(path, file) }, { ...env, ...more })).proxy;
    expect([await proxyOf('config'), await proxyOf('config', { NO_PROXY: 'api' }), await proxyOf('own')]).toEqual([
      'http://env:3128',
      undefined,
      'http://own:3128',
    ]);
  });
  test('that cannot be used is refused by its name', async () => {
    const path = folder({ config: kubeconfig('{}'), 'ca.crt': '' });
    const asked = connect({ kubeconfig: join(path, 'config') }, { HTTPS_PROXY: 'socks5://p:1' });
    await expect(asked).rejects.toThrow(new Refused('HTTPS_PROXY: expected the URL of an http or https proxy, found one of socks5://'));
  });
});
