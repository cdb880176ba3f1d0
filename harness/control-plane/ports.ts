/** Free loopback ports. Another process may take one before it is used: whoever starts a server tries again with new ones. */
import { type AddressInfo, createServer } from 'node:net';

export async function freePorts(count: number): Promise<readonly number[]> {
  // All open at once, so that no port is given twice.
  const servers = await Promise.all(Array.from({ length: count }, listening));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listening() {
  return new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
