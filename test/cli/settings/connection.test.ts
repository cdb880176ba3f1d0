import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/cli/settings/connection.ts';
import { folder } from '../folder.ts';

const kubeconfig = (user: string, current = 'one') => `
current-context: ${current}
contexts:
- { name: one, context: { cluster: c, user: u, namespace: ml } }
clusters:
- { name: c, cluster: { server: "https://api:6443", certificate-authority: ca.crt } }
users:
- { name: u, user: ${user} }
`;

describe('a kubeconfig', () => {
  test('with a certificate is read without a client library', async () => {
    const path = folder({ config: kubeconfig(`{ client-certificate-data: ${btoa('C')}, client-key: key }`), 'ca.crt': 'CA', key: 'K' });
    const connection = await connect({ kubeconfig: join(path, 'config') }, {});
    expect(connection).toMatchObject({ server: 'https://api:6443', ca: 'CA', cert: 'C', key: 'K', namespace: 'ml' });
  });
  test('with a token is too', async () => {
    const path = folder({ config: kubeconfig('{ token: t }'), 'ca.crt': 'CA' });
    const { token } = await connect({ context: 'one' }, { KUBECONFIG: join(path, 'config') });
    expect(await token?.()).toBe('t');
  });
  test('that names a context it does not have says which it has', async () => {
    const path = folder({ config: kubeconfig('{}'), 'ca.crt': '' });
    await expect(connect({ kubeconfig: join(path, 'config'), context: 'two' }, {})).rejects.toThrow(
      'expected a context named two, found one',
    );
  });
  test('that does not exist is named in the error', async () => {
    await expect(connect({ kubeconfig: '/no/such/file' }, {})).rejects.toThrow('expected a kubeconfig at /no/such/file');
  });
});
