import { expect, test } from 'vitest';
import { inClusterConnection } from '../../../src/kube/client/connection.ts';

const ENV = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

/** The files of a ServiceAccount, and a clock. */
function pod() {
  const files: Record<string, string> = { token: 'one\n', 'ca.crt': 'CA 1', namespace: 'fluid-system' };
  let elapsed = 0;
  const readFile = (path: string): string => {
    const text = files[path.replace('/var/run/secrets/kubernetes.io/serviceaccount/', '')];
    if (text === undefined) throw new Error(`ENOENT: ${path}`);
    return text;
  };
  const connect = (env: Record<string, string> = ENV) => inClusterConnection(readFile, env, () => elapsed);
  return { files, connect, pass: (ms: number) => void (elapsed += ms) };
}
const ca = (connection: ReturnType<typeof inClusterConnection>) => (typeof connection.ca === 'function' ? connection.ca() : connection.ca);

test('a pod finds its server, its namespace and who it is', () => {
  const connection = pod().connect();
  expect(connection).toMatchObject({ server: 'https://10.0.0.1:443', namespace: 'fluid-system' });
  expect([connection.token?.(), ca(connection)]).toEqual(['one', 'CA 1']);
});

test('an IPv6 address is put in brackets', () => {
  expect(pod().connect({ ...ENV, KUBERNETES_SERVICE_HOST: 'fd00::1' }).server).toBe('https://[fd00::1]:443');
});

test('a replaced token and CA are used a minute later, not read before', () => {
  const { files, connect, pass } = pod();
  const connection = connect();
  files['token'] = 'two';
  files['ca.crt'] = 'CA 2';
  pass(59_999);
  expect([connection.token?.(), ca(connection)]).toEqual(['one', 'CA 1']);
  pass(1);
  expect([connection.token?.(), ca(connection)]).toEqual(['two', 'CA 2']);
});

test('a token that cannot be read for a moment is the old one', () => {
  const { files, connect, pass } = pod();
  const connection = connect();
  delete files['token'];
  pass(60_000);
  expect(connection.token?.()).toBe('one');
});

test('outside a pod it says what is missing', () => {
  expect(() => pod().connect({})).toThrow('KUBERNETES_SERVICE_HOST');
  const { files, connect } = pod();
  delete files['token'];
  expect(() => connect()).toThrow('ENOENT: /var/run/secrets/kubernetes.io/serviceaccount/token');
});
