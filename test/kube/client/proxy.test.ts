import { expect, test } from 'vitest';
import { proxyFromEnvironment } from '../../../src/kube/client/proxy.ts';

const P = 'http://proxy:3128';
test.each([
  ['https://api:6443', {}, undefined],
  ['https://api:6443', { HTTPS_PROXY: P }, P],
  ['https://api:6443', { https_proxy: P }, P],
  ['https://api:6443', { HTTPS_PROXY: 'proxy:3128' }, P],
  ['https://api:6443', { HTTP_PROXY: P }, undefined],
  ['http://api:8080', { HTTP_PROXY: P, HTTPS_PROXY: 'http://other:1' }, P],
  ['https://localhost:6443', { HTTPS_PROXY: P }, undefined],
  ['https://127.0.0.7:6443', { HTTPS_PROXY: P }, undefined],
  ['https://[::1]:6443', { HTTPS_PROXY: P }, undefined],
  ['https://api.example.com', { HTTPS_PROXY: P, NO_PROXY: 'example.com' }, undefined],
  ['https://example.com', { HTTPS_PROXY: P, NO_PROXY: 'example.com' }, undefined],
  ['https://badexample.com', { HTTPS_PROXY: P, NO_PROXY: 'example.com' }, P],
  ['https://example.com', { HTTPS_PROXY: P, NO_PROXY: '.example.com' }, P],
  ['https://api.example.com', { HTTPS_PROXY: P, no_proxy: 'a, .example.com ' }, undefined],
  ['https://api.example.com', { HTTPS_PROXY: P, NO_PROXY: '*.EXAMPLE.com' }, undefined],
  ['https://api.example.com', { HTTPS_PROXY: P, NO_PROXY: '*' }, undefined],
  ['https://api.example.com:6443', { HTTPS_PROXY: P, NO_PROXY: 'example.com:443' }, P],
  ['https://api.example.com', { HTTPS_PROXY: P, NO_PROXY: 'example.com:443' }, undefined],
  ['https://10.1.2.3:6443', { HTTPS_PROXY: P, NO_PROXY: '10.0.0.0/8' }, undefined],
  ['https://11.1.2.3:6443', { HTTPS_PROXY: P, NO_PROXY: '10.0.0.0/8,11.1.2.4' }, P],
  ['https://11.1.2.3:6443', { HTTPS_PROXY: P, NO_PROXY: '11.1.2.3' }, undefined],
  ['https://[fd00::1]:6443', { HTTPS_PROXY: P, NO_PROXY: 'fd00::/16' }, undefined],
  ['https://[fd00::1]:6443', { HTTPS_PROXY: P, NO_PROXY: '[fd00::1]:6443' }, undefined],
])('to %s with %j leads %s', (server, env, proxy) => {
  expect(proxyFromEnvironment(server, env)).toBe(proxy);
});

test('a proxy that cannot be used is refused by the name of its variable, without its password', () => {
  const ask = () => proxyFromEnvironment('https://api', { HTTPS_PROXY: 'socks5://me:secret@p:1' });
  expect(ask).toThrow('HTTPS_PROXY: expected the URL of an http or https proxy, found one of socks5://');
});
