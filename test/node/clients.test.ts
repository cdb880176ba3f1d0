/** EFC, Vineyard and clients of shared file systems on one real node, at the same time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest';
import {
  efcStandInImage,
  fileSystemsImage,
  minioImage,
  vineyardFuseStandInImage,
  vineyardImage,
  whyNoFileSystems,
  whyNoVineyard,
} from '../../harness/index.ts';
import { createClient, type KubeClient } from '../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode } from '../support/real-node.ts';
import { createSpace } from '../support/sluice.ts';
import type { Where } from './dataset-users.ts';
import { efcServes, efcValues } from './efc-clients.ts';
import { fileSystems } from './file-systems.ts';
import { type Installed, startInstalled } from './installed.ts';
import { profileServes } from './profile-clients.ts';
import { vineyardServes } from './vineyard-clients.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 600_000;
const hasVineyard = canHaveNode && canRun('Vineyard on a real node', whyNoVineyard());
const hasFileSystems = canHaveNode && canRun('file systems on a real node', whyNoFileSystems());

describe.skipIf(!canHaveNode).concurrent('on a real node', { timeout: LIMIT }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clients-'));
  let cluster: Installed;
  let client: KubeClient;
  beforeAll(async () => {
    const values = join(folder, 'values.json');
    writeFileSync(values, JSON.stringify(efcValues));
    const images = [
      efcStandInImage(),
      ...(hasVineyard ? [vineyardImage(), vineyardFuseStandInImage()] : []),
      ...(hasFileSystems ? [fileSystemsImage(), minioImage()] : []),
    ];
    cluster = await startInstalled({ images, flags: ['--daemon', 'efc', '--values', values] });
    client = createClient(connectionFromKubeconfig([cluster.plane.kubeconfig]), { fieldManager: 'sluice-tests' });
  }, LIMIT);
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A namespace, of which a failure shows everything. */
  async function whereFor(name: string, { onTestFailed }: TestContext): Promise<Where> {
    const space = await createSpace(cluster.plane, client, name);
    onTestFailed(async () => {
      const pods = (await space.list('Pod').catch(() => [])).map(({ metadata }) => metadata.name);
      const said = await Promise.all(
        pods.map((pod) => space.kubectl('logs', pod, '--all-containers', '--tail=20', '--prefix').catch(String)),
      );
      console.error([await cluster.logs(), ...said, await space.kubectl('describe', 'fluid,pods').catch(String)].join('\n'));
    });
    return { cluster, space };
  }

  test('EFC, as a stand-in, serves with the session manager that the node plugin asks for, to the last trace', async (context) =>
    efcServes(await whereFor('efc', context)));

  test.skipIf(!hasVineyard)('Vineyard serves from the first object to the last trace', async (context) =>
    vineyardServes(await whereFor('vineyard', context)),
  );

  test.skipIf(!hasFileSystems).for(Object.entries(fileSystems))(
    'a pod reads and writes by the profile %s',
    async ([name, make], { onTestFailed }) => {
      onTestFailed(async () => {
        const logs = (...of: readonly string[]) =>
          cluster.plane.kubectl('logs', ...of, '--all-containers', '--prefix', '--tail=40').catch(String);
        console.error([await cluster.logs(), await logs('-l', `release=${name}-demo`), await logs(`${name}-server`)].join('\n'));
      });
      // Made only where it runs: what makes keys may be missing elsewhere.
      await profileServes(cluster, name, make());
    },
  );
});
