/** What pods of a test node know of Services: their names, and the way to their pods. */
import { afterAll, beforeAll, describe, expect, onTestFailed, test, vi } from 'vitest';
import { type ControlPlane, FUSE_IMAGE, fuseImage, type RealNode, startControlPlane, startNode } from '../../src/testing/index.ts';
import { canHaveNode, createPod } from '../support/node.ts';

const soon = { timeout: 30_000, interval: 200 };

describe.skipIf(!canHaveNode)('Services on a real node', () => {
  let plane: ControlPlane;
  let node: RealNode;
  beforeAll(async () => {
    plane = await startControlPlane({ nodes: 0 });
    node = await startNode(plane, { images: [fuseImage()] });
    const serve = 'mkdir /www; hostname > /www/index.html; exec httpd -f -p 8080 -h /www';
    await createPod(plane, { name: 'server', image: FUSE_IMAGE, script: serve, spec: { hostname: 'server', subdomain: 'headless' } });
    await createPod(plane, { name: 'client', image: FUSE_IMAGE, script: 'exec sleep 100000' });
    const spec = { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true };
    await createPod(plane, { name: 'node-client', image: FUSE_IMAGE, script: 'exec sleep 100000', spec });
    for (const [name, further] of [
      ['balanced', { ports: [{ port: 80, targetPort: 8080 }] }],
      ['headless', { clusterIP: 'None', ports: [{ port: 8080 }] }],
    ] as const)
      await plane.create('/api/v1/namespaces/default/services', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name },
        spec: { selector: { app: 'server' }, ...further },
      });
    await plane.kubectl('wait', '--for=condition=Ready', 'pod/server', 'pod/client', 'pod/node-client', '--timeout=60s');
  });
  afterAll(async () => {
    await node?.stop();
    await plane?.stop();
  });

  /** By bash, which asks the system for names: a static busybox does not. */
  const ask = (pod: string, host: string, port: number) =>
    plane.kubectl('exec', pod, '--', 'bash', '-c', `exec 3<>/dev/tcp/${host}/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`);

  test.for([
    ['client', 'balanced', 80],
    ['client', 'balanced.default', 80],
    ['client', 'headless', 8080],
    ['client', 'server.headless.default.svc.cluster.local', 8080],
    ['node-client', 'balanced.default.svc.cluster.local', 80],
    ['server', 'balanced', 80],
  ] as const)('%s reaches the pod as %s:%d', async ([pod, host, port]) => {
    onTestFailed(() => console.error(node.logs()));
    await vi.waitFor(async () => expect(await ask(pod, host, port)).toMatch(/server\n$/), soon);
  });

  test('a name that nobody has is denied at once', async () => {
    expect(await plane.kubectl('exec', 'client', '--', 'sh', '-c', 'nslookup nobody.example || true')).toContain('NXDOMAIN');
  });
});
