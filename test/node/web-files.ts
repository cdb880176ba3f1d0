/** Files on a web server in the cluster, for caches that copy from one. */
import { MOOSEFS_IMAGE } from '../../harness/index.ts';
import { createPod } from '../support/real-node.ts';
import { condition, type Space } from '../support/sluice.ts';
import { PATIENCE_S } from './dataset-users.ts';
import type { Installed } from './installed.ts';

/** The numbers to 300,000, a line each. */
export const NUMBERS = { bytes: 1_988_895, md5: 'daef482d6c698625ab13d987d14e8781' };

/** A web server, at http://files, of a directory with two files and one directory. */
export async function startFiles({ plane }: Pick<Installed, 'plane'>, space: Space): Promise<void> {
  const { namespace } = space;
  const script = 'mkdir -p /web/more; cd /web; seq 300000 > numbers; echo new > "more/a note"; exec python3 -m http.server 8000';
  const readinessProbe = { tcpSocket: { port: 8000 }, periodSeconds: 1 };
  await createPod(plane, { name: 'files', namespace, image: MOOSEFS_IMAGE, script, container: { readinessProbe } });
  await plane.create(`/api/v1/namespaces/${namespace}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'files' },
    spec: { selector: { app: 'files' }, ports: [{ port: 80, targetPort: 8000 }] },
  });
  await space.becomes('Pod', 'files', condition('Ready', { status: 'True' }), PATIENCE_S);
}
