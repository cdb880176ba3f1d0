/** Two Datasets of one volume on one node: what the deletion of one leaves, and what it leaves alone. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { whyNoJuiceFS } from '../../harness/index.ts';
import { nodeLabels, PATIENCE_S } from '../node/dataset-users.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode } from '../support/real-node.ts';
import { eventually } from '../support/sluice.ts';
import { type Stage, startStage } from './juicefs-stage.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 600_000;
const SIZE = 8_388_608;

describe.skipIf(!canHaveNode || !canRun('two Datasets of one volume', whyNoJuiceFS()))('two Datasets of one volume', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage('twins');
  }, LIMIT);
  afterAll(async () => {
    await stage?.stop();
  }, LIMIT);

  test('the deletion of one leaves nothing of it, and the cache of the other whole', { timeout: LIMIT }, async () => {
    onTestFailed(({ task }) => console.error(JSON.stringify(task.result?.errors)));
    const { space, cluster } = stage;
    const shared = { tieredstore: { levels: [{ mediumtype: 'SSD' as const, path: stage.cacheDir('shared'), quota: '1Gi', low: '0.1' }] } };
    for (const name of ['first', 'second']) {
      await stage.serve(name, { mountPoint: `juicefs:///${name}`, runtime: shared });
      await stage.pod(`of-${name}`, name);
      await stage.exec(
        `of-${name}`,
        'sh',
        '-ec',
        `head -c ${SIZE} /dev/urandom > /data/bytes; dd if=/data/bytes iflag=direct bs=1M of=/dev/null`,
      );
    }
    const sessions = async () => {
      const status = await stage.inPod('worker', 'second', 'juicefs status "$METAURL" 2> /dev/null');
      return [...status.matchAll(/"MountPoint": *"(.*)"/g)].map(([, path = '']) => path).toSorted();
    };
    const pathsOf = (name: string) => [stage.mountPath(name), stage.mountPath(name)];
    await eventually(async () => expect(await sessions()).toEqual([...pathsOf('first'), ...pathsOf('second')].toSorted()), PATIENCE_S);
    const blocks = () =>
      readdirSync(stage.cacheDir('shared'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() && entry.name.endsWith('_4194304') ? entry.name : [],
      );
    const before = blocks();
    expect(before.length).toBeGreaterThanOrEqual(4);
    const got = await stage.counter('second', 'object_request_data_bytes_GET');

    await space.delete('Pod', 'of-first');
    await space.gone('Pod', 'of-first', PATIENCE_S);
    await space.delete('Dataset', 'first');
    await space.gone('Dataset', 'first', PATIENCE_S);
    await space.gone('JuiceFSRuntime', 'first', PATIENCE_S);

    expect(blocks().toSorted()).toEqual(before.toSorted());
    await stage.exec('of-second', 'sh', '-c', 'dd if=/data/bytes iflag=direct bs=1M of=/dev/null');
    expect(await stage.counter('second', 'object_request_data_bytes_GET')).toBe(got);
    await eventually(async () => {
      expect(await sessions()).toEqual(pathsOf('second'));
      expect(await nodeLabels({ cluster, space })).not.toContainEqual(expect.stringContaining('-first'));
      expect((await space.made()).filter((name) => name.includes('first'))).toEqual([]);
      expect(await space.find('PersistentVolume', `${space.namespace}-first`)).toBeUndefined();
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(stage.mountPath('first'));
      expect(
        await cluster.node.run(
          'sh',
          '-c',
          'grep -la "$1" /proc/[0-9]*/cmdline 2> /dev/null | grep -v "/$$/" | wc -l',
          'sh',
          `${stage.mountPath('first')} `.trim().replace('first', '[f]irst'),
        ),
      ).toBe('0\n');
      // Directories in which clients mount stay, empty: no pod of Sluice may write there.
      const left = existsSync(dirname(stage.mountPath('first')))
        ? readdirSync(dirname(stage.mountPath('first')), { recursive: true, withFileTypes: true })
        : [];
      expect(left.filter((entry) => !entry.isDirectory())).toEqual([]);
    }, PATIENCE_S);
    expect(existsSync(dirname(stage.mountPath('second')))).toBe(true);
  });
});
