/** Faults of JuiceFS, of its metadata engine, its store and its cache: what readers, statuses, events and `explain` say, and that all returns by itself. */
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { BUSYBOX_IMAGE, whyNoJuiceFS } from '../../harness/index.ts';
import { PATIENCE_S } from '../node/dataset-users.ts';
import { canRun } from '../support/can-run.ts';
import { canHaveNode } from '../support/real-node.ts';
import { condition, eventually as within, says } from '../support/sluice.ts';
import { type Sight, type Stage, startStage, startWatcher, type Watcher, type Way } from './juicefs-stage.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 900_000;
const eventually = <T>(check: () => T | Promise<T>) => within(check, PATIENCE_S);
/** So long are Redis and MinIO away. */
const AWAY_MS = 60_000;
const NAME = 'demo';
const FOLLOWS = { mountPropagation: 'HostToContainer' };

describe.skipIf(!canHaveNode || !canRun('faults of JuiceFS', whyNoJuiceFS()))('faults of JuiceFS', { timeout: LIMIT }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage('faults');
    await stage.serve(NAME, {
      runtime: {
        fuse: { options: { 'buffer-size': '32' }, resources: { limits: { memory: '384Mi' } } },
        worker: { options: { 'buffer-size': '32' } },
      },
    });
    await stage.pod('writer', NAME, FOLLOWS);
    await stage.exec('writer', 'sh', '-ec', 'head -c 1048576 /dev/urandom > /data/small; head -c 41943040 /dev/urandom > /data/large');
  }, LIMIT);
  afterAll(async () => {
    await stage?.stop();
  }, LIMIT);
  const showLogs = () =>
    onTestFailed(async ({ task }) => console.error([JSON.stringify(task.result?.errors), await stage.explain(NAME)].join('\n')));

  /** Conditions of the runtime and the output of `explain`; also printed, for the table in the page of the runtime. */
  async function told(what: string, sights: Readonly<Record<string, readonly Sight[]>>, dataset = NAME) {
    const runtime = await stage.space.get('JuiceFSRuntime', dataset);
    const { conditions = [], cacheStates } = runtime['status'] as {
      conditions?: readonly { type: string; status: string; reason: string; message: string }[];
      cacheStates?: object;
    };
    const dataSet = (await stage.space.get('Dataset', dataset))['status'] as { phase: string };
    const explained = await stage.explain(dataset);
    const events = await stage.space.events(dataset);
    const shown = conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
    console.log(
      JSON.stringify({ what, sights, phase: dataSet.phase, cacheStates, conditions: shown, events: events.slice(-4) }, null, 1),
      `\n${explained}`,
    );
    return { phase: dataSet.phase, conditions: shown.join('\n'), events, explained, cacheStates };
  }
  const fuse = async () => (await stage.podOf('fuse', NAME)) ?? '';
  const restarts = async () =>
    Number(await stage.space.kubectl('get', 'pod', await fuse(), '-o', 'jsonpath={.status.containerStatuses[0].restartCount}'));
  const longest = (sights: readonly Sight[], way: Way) =>
    Math.max(0, ...sights.filter((sight) => sight.way === way).map(({ took }) => took));
  const saids = (sights: readonly Sight[], way: Way) => [...new Set(sights.filter((sight) => sight.way === way).map(({ said }) => said))];
  async function watching(name: string, mount: object = {}): Promise<Watcher> {
    const watcher = await startWatcher(stage, name, NAME, '/data/small', mount);
    await eventually(async () => expect(await watcher.now()).toEqual({ held: 'ok', opened: 'ok' }));
    await watcher.news();
    return watcher;
  }
  const ended = async (...pods: readonly string[]) => {
    for (const pod of pods) await stage.space.delete('Pod', pod);
    for (const pod of pods) await stage.space.gone('Pod', pod, PATIENCE_S);
  };
  /** Kills a process of the client in the fuse pod: the one that serves, or the first, which watches it. */
  const CHILD =
    'for p in /proc/[0-9]*; do n=${p#/proc/}; if [ "$(readlink $p/exe)" = /usr/local/bin/juicefs ] && [ $n != 1 ]; then kill -9 $n; fi; done';
  /** By the node, as a signal does not reach the first process of a container from within. */
  const PARENT =
    'for p in /proc/[0-9]*; do if tr "\\0" " " < $p/cmdline | grep -q "^/bin/mount.juicefs .*$1" && grep -q "^NSpid:.*[[:space:]]1$" $p/status && grep -q "$2" $p/cgroup; then kill -9 ${p#/proc/} && echo killed; fi; done 2> /dev/null; :';

  /** Takes all memory of the container, for which the kernel kills the client first. */
  const EATER =
    'for p in /proc/[0-9]*; do echo 1000 > $p/oom_score_adj; done 2> /dev/null; echo 0 > /proc/$$/oom_score_adj; exec tail /dev/zero';

  test('the child of the client is killed: an open file reads on', async () => {
    showLogs();
    const watcher = await watching('child');
    const before = await restarts();
    await stage.inPod('fuse', NAME, `${CHILD} 2> /dev/null; :`);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    await eventually(async () => expect(await stage.exec('writer', 'sh', '-c', 'head -c 4 /data/small | wc -c')).toBe('4\n'));
    const sights = await watcher.news();
    expect(await restarts()).toBe(before);
    const said = await told('child', { without: sights });
    expect([...saids(sights, 'held'), ...saids(sights, 'opened')].filter((each) => each !== 'ok')).toEqual([]);
    expect(longest(sights, 'held') + longest(sights, 'opened')).toBeGreaterThan(0);
    expect(said.explained).toContain(`✓ JuiceFSRuntime ${stage.space.namespace}/${NAME}`);
    await ended('child');
  });

  test.each([
    ['its first process is killed', 'parent'],
    ['it has no memory left', 'oom'],
    ['its pod is deleted under healthy readers', 'deleted'],
  ] as const)('the client ends, as %s: readers with mount propagation go on, others need a new mount', async (_, what) => {
    showLogs();
    const [alone, follows] = [await watching(`${what}-alone`), await watching(`${what}-follows`, FOLLOWS)];
    const pod = await fuse();
    const uid = (await stage.space.get('Pod', pod)).metadata.uid ?? '';
    const before = await restarts();
    if (what === 'parent') {
      const killed = await stage.cluster.node.run('sh', '-c', PARENT, 'sh', stage.mountPath(NAME), uid.replaceAll('-', '[-_]'));
      expect(killed).toBe('killed\n');
    } else if (what === 'oom') await stage.exec(pod, 'sh', '-c', EATER).catch(() => {});
    else await stage.space.delete('Pod', pod);
    if (what !== 'deleted') await eventually(async () => expect(await restarts()).toBeGreaterThan(before));
    await eventually(async () => expect(await follows.now()).toMatchObject({ opened: 'ok', held: 'ENOTCONN' }));
    await eventually(async () => expect(await alone.now()).toEqual({ held: 'ENOTCONN', opened: 'ENOTCONN' }));
    await stage.pod(`${what}-later`, NAME);
    expect(await stage.exec(`${what}-later`, 'sh', '-c', 'head -c 4 /data/small | wc -c')).toBe('4\n');
    const said = await told(what, { alone: await alone.news(), follows: await follows.news() });
    expect(said.events.join('\n')).toContain('FuseRecoverSucceed');
    await ended(`${what}-alone`, `${what}-follows`, `${what}-later`);
  });

  test.each([
    ['redis', 'ReadsFail'],
    ['minio', 'RequestsFail'],
  ] as const)('%s is away for a minute, which Dataset, runtime and explain say, and all returns', async (server, reason) => {
    showLogs();
    const unavailable = condition('DataUnavailable', { status: 'True', reason });
    const watcher = await watching(`beside-${server}`);
    await stage.down(server);
    const large = stage
      .exec(
        'writer',
        'sh',
        '-c',
        'timeout 240 dd if=/data/large of=/dev/null bs=1M iflag=direct 2>&1; timeout 240 sh -c "head -c 1000000 /dev/urandom > /data/late" 2>&1; echo done',
      )
      .catch(String);
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
    const away = await watcher.news();
    for (const kind of ['Dataset', 'JuiceFSRuntime'] as const) await stage.space.becomes(kind, NAME, unavailable, PATIENCE_S);
    const saidAway = await told(`${server} is away`, { away });
    expect(saidAway.phase).toBe('Bound');
    expect(saidAway.explained).toMatch(/✗ Dataset .*/);
    expect(saidAway.explained).toContain(reason);
    expect(saidAway.events.join('\n')).toContain('DataUnavailable');
    await stage.up(server);
    await eventually(async () => expect(await watcher.now()).toEqual({ held: 'ok', opened: 'ok' }));
    console.log('another reader and writer:', await large);
    const states = { cacheStates: { cached: expect.stringMatching(/B$/) as string } };
    await stage.space.becomes('JuiceFSRuntime', NAME, { status: states }, PATIENCE_S);
    await eventually(async () =>
      expect(JSON.stringify((await stage.space.get('Dataset', NAME))['status'])).not.toContain('DataUnavailable'),
    );
    const said = await told(`${server} is back`, { back: await watcher.news() });
    expect(said.explained).toContain(`✓ JuiceFSRuntime ${stage.space.namespace}/${NAME}`);
    await ended(`beside-${server}`);
  });

  test('the disk of the cache is full: reads come from the store, and are cached again once there is room', async () => {
    showLogs();
    const disk = stage.cacheDir('full');
    await stage.cluster.node.run('mkdir', '-p', disk);
    await stage.cluster.node.run('mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk);
    await stage.serve('full', {});
    await stage.pod('of-full', 'full');
    await stage.cluster.node.run('sh', '-c', 'dd if=/dev/zero of="$1/filler" bs=1M 2> /dev/null; :', 'sh', disk);
    const digest = 'dd if=/data/large iflag=direct bs=1M 2> /dev/null | md5sum';
    const whole = await stage.exec('writer', 'sh', '-c', digest);
    const got = () => stage.counter('full', 'object_request_data_bytes_GET');
    expect(await stage.exec('of-full', 'sh', '-c', digest)).toBe(whole);
    const first = await got();
    expect(await stage.exec('of-full', 'sh', '-c', digest)).toBe(whole);
    expect(await got()).toBeGreaterThanOrEqual(first + 41_943_040);
    await told('full', {}, 'full');
    await stage.cluster.node.run('rm', `${disk}/filler`);
    await eventually(async () => {
      const before = await got();
      expect(await stage.exec('of-full', 'sh', '-c', digest)).toBe(whole);
      expect(await got()).toBe(before);
    });
    await told('room', {}, 'full');
    await ended('of-full');
  });

  test.each([
    ['a wrong key of the store', 'wrong-key', { database: 2, volume: 'second', keys: { 'secret-key': 'not-the-secret' } }, 'secret-key'],
    ['a wrong password of the engine', 'wrong-password', { database: 3, volume: 'third', keys: {} }, 'metaurl'],
  ] as const)('%s: it is said, and mended by the Secret alone', async (_, name, how, key) => {
    showLogs();
    const right = { 'secret-key': 'minioadmin', metaurl: stage.metaurl(how.database) }[key];
    const keys = key === 'metaurl' ? { metaurl: stage.metaurl(how.database, 'wrong') } : how.keys;
    await stage.space.create(...stage.dataset(name, { ...how, keys }));
    await stage.space.becomes('JuiceFSRuntime', name, condition('PodsCrashing', { status: 'True' }), PATIENCE_S);
    const said = await told(name, {}, name);
    expect(said.explained).toContain('✗ JuiceFSRuntime');
    await stage.space.patch('Secret', `${name}-keys`, { stringData: { [key]: right } });
    await stage.space.bound('JuiceFSRuntime', name, PATIENCE_S);
    await eventually(async () =>
      expect(JSON.stringify((await stage.space.get('JuiceFSRuntime', name))['status'])).not.toContain('PodsCrashing'),
    );
    await stage.pod(`of-${name}`, name);
    await stage.exec(`of-${name}`, 'sh', '-ec', 'echo written > /data/new; cat /data/new');
    await ended(`of-${name}`);
  });

  test('a name that is taken, of the volume and of its place in the store, is said', async () => {
    showLogs();
    await stage.space.create(...stage.dataset('other-name', { volume: 'other' }));
    await stage.space.bound('JuiceFSRuntime', 'other-name', PATIENCE_S);
    await stage.space.create(...stage.dataset('taken', { database: 4 }));
    await stage.space.becomes(
      'JuiceFSRuntime',
      'taken',
      condition('PodsCrashing', { status: 'True', message: says('is not empty') }),
      PATIENCE_S,
    );
    await told('taken place', {}, 'taken');
    const container = { name: 'main', image: BUSYBOX_IMAGE, command: ['tail', '-f', '/dev/null'] };
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'other-name' } }];
    const containers = [{ ...container, volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
    await stage.space.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'of-other-name' }, spec: { containers, volumes } });
    const message = says('cannot update volume name');
    await stage.space.becomes('JuiceFSRuntime', 'other-name', condition('PodsCrashing', { status: 'True', message }), PATIENCE_S);
    await told('taken name', {}, 'other-name');
  });
});
