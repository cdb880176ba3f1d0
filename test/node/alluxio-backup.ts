/** The metadata of an Alluxio, saved by a DataBackup and read by new masters of another Dataset of that name and with the same mounts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Mount } from '../../src/api/index.ts';
import { step } from '../support/step.ts';
import type { AlluxioSpace } from './alluxio-space.ts';
import { deleteWhole, PATIENCE_S } from './dataset-users.ts';

export async function backsUpAndRestores(alluxio: AlluxioSpace, name: string, mounts: readonly Mount[]): Promise<void> {
  const { space, cluster } = alluxio;
  const { inMaster } = alluxio.of(name);
  const directory = join(cluster.node.dir, 'backups');
  const path = `local://${directory}`;
  const nodeName = cluster.node.name;
  let before: string;
  // Without how much of each file is cached.
  const listed = async () => (await inMaster('alluxio', 'fs', 'ls', '-R', '/')).replace(/ +\d+% +/g, ' ');
  await step('a Dataset has metadata that its store does not have', async () => {
    await inMaster('alluxio', 'fs', 'mkdir', '/only-here');
    before = await listed();
    expect(before).toContain(' /only-here\n');
  });
  await step('a DataBackup writes it to the node, and kubectl shows where', async () => {
    const spec = { dataset: name, backupPath: path };
    await space.create({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataBackup', metadata: { name: 'nightly' }, spec });
    await space.becomes('DataBackup', 'nightly', { status: { phase: 'Complete' } }, PATIENCE_S);
    const infos = { BackupLocationPath: path, BackupLocationNodeName: nodeName };
    expect(await space.get('DataBackup', 'nightly')).toMatchObject({ status: { infos } });
    expect(await space.kubectl('get', 'databackup', 'nightly')).toMatch(new RegExp(`nightly +${name} +Complete +${path} +${nodeName} `));
    expect(readdirSync(directory).toSorted()).toEqual([`${name}-${space.namespace}.yaml`, `metadata-backup-${name}-${space.namespace}.gz`]);
    const [, counted = ''] = (await inMaster('alluxio', 'fs', 'count', '/')).split('\n');
    const [files, , bytes] = counted.trim().split(/ +/);
    expect(readFileSync(join(directory, `${name}-${space.namespace}.yaml`), 'utf8')).toBe(
      `dataset: ${name}\nnamespace: ${space.namespace}\nufstotal: ${bytes}\nfilenum: ${files}\n`,
    );
    expect(await inMaster('ls', '/journal')).not.toContain('backup');
  });
  await step('it outlives its Dataset', async () => {
    await deleteWhole(alluxio, name);
    await space.gone('DataBackup', 'nightly');
  });
  await step('a Dataset that starts from it has the same metadata', async () => {
    const dataRestoreLocation = { path, nodeName };
    await space.create(alluxio.dataset(name, mounts, { dataRestoreLocation }), alluxio.runtime(name));
    await space.bound('AlluxioRuntime', name, PATIENCE_S);
    expect(await listed()).toBe(before);
  });
  await step('and leaves nothing either', () => deleteWhole(alluxio, name));
}
