/** Starts a node with a pod that mounts, says where it is, and ends in the way that its argument says: for the tests that nothing is left behind. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BUSYBOX_IMAGE, type ControlPlaneHandle, connectControlPlane, startNode } from '../../harness/index.ts';
import { createPod, mountsInto } from '../support/real-node.ts';

const [plane = '', name = '', end = ''] = process.argv.slice(2);
// Written by the test, which knows what it is.
const handle = JSON.parse(plane) as ControlPlaneHandle;
const node = await startNode(handle, { name });
const cluster = connectControlPlane(handle);
const { container, spec } = mountsInto(node.mountRoot);
const script = `mkdir ${node.mountRoot}/t && mount -t tmpfs t ${node.mountRoot}/t && touch ${node.mountRoot}/t/here && exec sleep 100000`;
await createPod(cluster, { name, image: BUSYBOX_IMAGE, script, container, spec: { ...spec, nodeName: name } });
while (!existsSync(join(node.mountRoot, 't/here'))) await new Promise((resolve) => setTimeout(resolve, 50));
process.stdout.write(`${JSON.stringify({ dir: node.dir })}\n`);

if (end === 'exception') throw new Error('as asked');
if (end === 'exit') process.exit(0);
setInterval(() => {}, 1000);
