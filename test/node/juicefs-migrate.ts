/** DataMigrates of a JuiceFS on a real node: in one pod, in several of which one dies, and what they leave. */
import { expect } from 'vitest';
import type { DataMigrateSpec, OperationStatus } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { BUSYBOX_IMAGE } from '../../harness/index.ts';
import { JFS_SECRET } from '../support/objects.ts';
import { eventually, says, type Space } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { PATIENCE_S } from './dataset-users.ts';

const [image = '', imageTag = ''] = BUSYBOX_IMAGE.split(':');
/** Password of the file system and of the store: a URL would take most of its characters for something else. */
export const PASSWORD = 'secret,/key+@%41';

interface Migrated {
  readonly space: Space;
  readonly dataset: string;
  /** Address of the pod `minio`. */
  readonly minio: string;
  /** A load that is complete. */
  readonly after: string;
  /** Runs a command in a pod; returns what it printed. */
  exec(pod: string, ...argv: readonly string[]): Promise<string>;
}

/** The Dataset has `/folder/numbers`. */
export async function migrates({ space, dataset, minio, after, exec }: Migrated): Promise<void> {
  const data = (path: string) => ({ dataset: { name: dataset, namespace: '', path } });
  const key = (name: string) => ({ name, valueFrom: { secretKeyRef: { name: JFS_SECRET, key: name } } });
  const migrate = (name: string, spec: DataMigrateSpec): KubeObject => ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataMigrate',
    metadata: { name },
    spec,
  });
  const complete = { status: { phase: 'Complete' } };
  const statusOf = async (name: string) => (await space.get('DataMigrate', name))['status'] as OperationStatus;
  const helpers = async () =>
    (await Promise.all((['Secret', 'Service', 'StatefulSet', 'Pod'] as const).map((kind) => space.list(kind))))
      .flat()
      .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
      .filter((name) => /shared-migrate-(workers|ssh)/.test(name));

  await step('a load, a process and a migration run in order; a worker of it dies, and its part is copied all the same', async () => {
    const files = 36;
    const source = `mkdir /data/many && for i in $(seq ${files}); do head -c 125000 /dev/urandom > /data/many/$i; done`;
    const script = { image, imageTag, command: ['sh', '-e'], source };
    await space.create(
      migrate('shared', {
        from: data('/many/'),
        to: data('/copied/'),
        // A file a second and pod: one has time to die.
        options: { bwlimit: '1' },
        parallelism: 3,
        runAfter: { kind: 'DataProcess', name: 'many' },
      }),
      {
        apiVersion: 'data.fluid.io/v1alpha1',
        kind: 'DataProcess',
        metadata: { name: 'many' },
        spec: { dataset: { name: dataset, mountPath: '/data' }, processor: { script }, runAfter: { kind: 'DataLoad', name: after } },
      },
    );
    await space.becomes('DataMigrate', 'shared', { status: { phase: 'Executing' } }, PATIENCE_S);
    await space.becomes('Dataset', dataset, { status: { phase: 'DataMigrating', operationRef: { DataMigrate: 'shared' } } });
    const copying = await eventually(async () => {
      const [job] = (await space.list('Pod')).filter(({ metadata }) => metadata.labels?.['role'] === 'datamigrate-pod');
      const said = await exec(job?.metadata.name ?? '', 'cat', '/tmp/progress');
      expect(said).toMatch(new RegExp(`^Progress=[1-9]\\d* of ${files} files\n`));
      return said;
    }, PATIENCE_S);
    expect(copying).toMatch(/\nBytes=.*[KM]iB\nRate=/);
    expect((await helpers()).toSorted()).toEqual([
      'Pod/shared-migrate-workers-0',
      'Pod/shared-migrate-workers-1',
      'Secret/shared-migrate-ssh-keys',
      'Service/shared-migrate-workers',
      'StatefulSet/shared-migrate-workers',
    ]);
    await space.kubectl('delete', 'pod', 'shared-migrate-workers-1', '--grace-period=0', '--force');
    await space.becomes('DataMigrate', 'shared', complete, PATIENCE_S);
    const { infos } = await statusOf('shared');
    expect(infos).toMatchObject({ Progress: `${files} of ${files} files`, Files: `${files} of ${files}` });
    expect(Number(infos?.['Copied']) + Number(infos?.['Skipped'])).toBe(files);
    await space.becomes('Dataset', dataset, { status: { phase: 'Bound' } });
    // The pods of the StatefulSet end a little after it.
    await eventually(async () => expect(await helpers()).toEqual([]), PATIENCE_S);
  });

  await step('a store gets the files, by keys of any characters', async () => {
    await exec('minio', 'mkdir', '-p', '/data/archive');
    const uri = `minio://${minio}:9000/archive/a@b/`;
    const to = { externalStorage: { uri, encryptOptions: [key('access-key'), key('secret-key')] } };
    await space.create(migrate('out', { from: data('/folder'), to }));
    await space.becomes('DataMigrate', 'out', complete, PATIENCE_S);
    expect(await exec('minio', 'find', '/data/archive', '-type', 'd')).toContain('/data/archive/a@b/numbers\n');
    const printed = await space.kubectl('logs', 'job/out-migrate-migrate');
    expect(printed).toContain('Found: ');
    expect(printed).not.toContain(PASSWORD);
  });

  await step('a claim is read through its mount; a path that does not exist is named', async () => {
    await space.create(
      migrate('in', { from: { externalStorage: { uri: `pvc://${dataset}/many` } }, to: data('/again') }),
      migrate('lost', { from: data('/nowhere/'), to: data('/again/') }),
    );
    await space.becomes('DataMigrate', 'in', { status: { phase: 'Complete', infos: { Files: '36 of 36' } } }, PATIENCE_S);
    await space.becomes('Job', 'lost-migrate-migrate', { status: { active: 1 } }, PATIENCE_S);
    // Else the Job would try three more times.
    await space.patch('Job', 'lost-migrate-migrate', { spec: { backoffLimit: 0 } });
    const lost = says('printed last:', `path /nowhere/ of Dataset ${dataset} does not exist`);
    await space.becomes('DataMigrate', 'lost', { status: { phase: 'Failed', conditions: [{ message: lost }] } }, PATIENCE_S);
  });

  await step('what was copied is what was there', async () => {
    const check = 'cd /data && diff -r many copied && diff -r many again && ls copied | wc -l';
    await space.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'compare' },
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'main', image: BUSYBOX_IMAGE, command: ['sh', '-ec', check], volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: dataset } }],
      },
    });
    await space.becomes('Pod', 'compare', { status: { phase: expect.stringMatching(/Succeeded|Failed/) as string } }, PATIENCE_S);
    expect((await space.kubectl('logs', 'compare')).trim()).toBe('36');
    await space.delete('Pod', 'compare');
  });
}
