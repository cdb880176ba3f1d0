import { expect, test, vi } from 'vitest';
import { describePlugin } from './describe-plugin.ts';
import type { State } from './mount-node.ts';
import type { Report } from './plugin.ts';

describePlugin('a FUSE client that died and came back', { patienceMs: 300 }, (at) => {
  /** Volumes of any name, and a mount root at any depth. */
  const fusePath = (name: string) => `${at.node.mountRoot}/deep/er/thin/ml/${name}/thin-fuse`;
  const attributes = (name: string, more: Record<string, string> = {}) => ({
    fluid_path: fusePath(name),
    mount_type: '',
    runtime_namespace: 'ml',
    runtime_name: name,
    ...more,
  });
  const path = (uid: string, pv: string) => `${at.node.kubelet}/pods/${uid}/volumes/kubernetes.io~csi/${pv}/mount`;
  /** As the kubelet publishes: it writes down which volume it is, then calls. */
  async function publish(volumeId: string, uid: string, { pv = volumeId, mode = 5, ...more }: Record<string, string | number> = {}) {
    const name = volumeId.replace(/^ml-/, '');
    const data = JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: volumeId, specVolID: pv });
    const target = path(uid, String(pv));
    at.node.sh('mkdir -p "$(dirname "$1")" && echo "$2" >"$(dirname "$1")/vol_data.json"', target, data);
    await at.plugin.call.nodePublishVolume({
      volumeId,
      targetPath: target,
      volumeCapability: { accessType: { case: 'mount', value: {} }, accessMode: { mode: Number(mode) } },
      volumeContext: attributes(name, more as Record<string, string>),
    });
    return target;
  }
  /** The cluster's objects for a volume, and for a pod that has had it for long. */
  const stateOf = (name: string, uid: string): State => ({
    volumes: { [`ml-${name}`]: { attributes: attributes(name), claim: { namespace: 'ml', name } } },
    pods: {
      ml: [
        {
          metadata: { name: 'app', uid },
          status: { containerStatuses: [{ name: 'app', state: { running: { startedAt: '2020-01-01T00:00:00Z' } } }] },
        },
      ],
    },
  });
  /** The client dies and another one comes: a new file system in the place of the old. */
  let serial = 0;
  function serve(name: string, script = 'mkdir -p a/b && echo "$2" >f && echo "$2" >a/b/f'): string {
    const text = `version ${++serial}`;
    at.node.sh(
      `umount -c -l "$1" 2>/dev/null || true; mkdir -p "$1" && mount -t tmpfs live "$1" && cd "$1" && ${script}`,
      fusePath(name),
      text,
    );
    return `${text}\n`;
  }
  /** Waits until each of these pods has it again, as an event after the first `after` reports says. */
  const recovered = (name: string, after: number, ...pods: string[]) =>
    Promise.all(
      (pods.length > 0 ? pods : ['']).map((pod) =>
        at.plugin.when(
          (report) => isAbout(report, name) && 'note' in report && report.note.includes(pod) && at.plugin.reports.indexOf(report) >= after,
        ),
      ),
    );
  const isAbout = (report: Report, name: string) =>
    'dataset' in report && report.dataset.name === name && report.reason === 'FuseRecoverSucceed';
  /** A container: it has a copy of the target as it was when it started, and sees what is mounted on it afterwards. */
  function container(target: string) {
    const pid = at.node
      .sh(
        'unshare -m --propagation slave sh -c \'mkdir -p "$2" && mount --rbind "$1" "$2" && exec sleep 600\' sh "$1" "$2" >/dev/null 2>&1 & echo $!',
        target,
        `${at.node.dir}/data`,
      )
      .trim();
    at.node.sh('until grep -q "$2" "/proc/$1/mountinfo"; do :; done', pid, `${at.node.dir}/data`);
    return {
      reads: (file: string) => at.node.sh('nsenter -t "$1" -m cat "$2"', pid, `${at.node.dir}/data/${file}`),
      end: () => at.node.sh('kill "$1"', pid),
    };
  }

  test('is seen again by a container that kept running, ten times, without one more mount each time (R7, R9)', async () => {
    serve('demo');
    const target = await publish('ml-demo', 'uid-1');
    at.node.write(stateOf('demo', 'uid-1'));
    const app = container(target);
    for (let i = 0; i < 10; i++) {
      const before = at.plugin.reports.length;
      const text = serve('demo');
      await recovered('demo', before);
      expect(app.reads('f')).toBe(text);
      expect(at.node.stack(target).length).toBeLessThanOrEqual(4);
    }
    expect(at.plugin.reports).toContainEqual(expect.objectContaining({ reason: 'UnmountDuplicateMountpoint' }));
    app.end();
    await at.plugin.call.nodeUnpublishVolume({ volumeId: 'ml-demo', targetPath: target });
    expect(at.node.stack(target)).toEqual([]);
  });

  /** A container of a fuse pod starts that has this volume at this path, which the host sees, as with the mount propagation Bidirectional. */
  function start(path: string, volume: string): void {
    const mount = 'mount --make-rslave "$3" && mount --bind "$2" "$1" && mount --make-private "$1"';
    at.node.sh(`exec unshare -m --propagation unchanged sh -ec '${mount}' sh "$@"`, path, volume, at.node.kubelet);
  }
  /** A ConfigMap of a fuse pod, mounted below its directory by this name. */
  function configured(name: string): { readonly path: string; readonly volume: string } {
    const volume = `${at.node.kubelet}/pods/uid-of-${name}/volumes/kubernetes.io~configmap/conf`;
    const path = `${fusePath('left')}/${name}`;
    at.node.sh('mkdir -p "$1" "$2" && echo old >"$2/file"', path, volume);
    start(path, volume);
    return { path, volume };
  }

  test('leaves no mount of a directory that was deleted, at which its successor could mount nothing', async () => {
    const { path, volume } = configured('conf');
    const file = `${fusePath('left')}/file`;
    at.node.sh('touch "$2" && mount --bind "$1/file" "$2"', volume, file);
    expect(at.node.stack(path)).toHaveLength(1);
    at.node.sh('rm -r "$1"', volume);
    await vi.waitFor(() => expect(at.node.stack(path)).toEqual([]), 60_000);
    // A container that runs may have the old file of a ConfigMap that was changed.
    expect(at.node.sh('cat "$1"', file)).toBe('old\n');
  });

  test('leaves no mount of a ConfigMap on itself, with which the kubelet could not delete that', async () => {
    const { path, volume } = configured('twice');
    start(path, volume);
    expect(at.node.stack(path)).toHaveLength(2);
    expect(() => at.node.sh('rm -r "$1"', volume)).toThrow('busy');
    await vi.waitFor(() => at.node.sh('rmdir "$1"', volume), 60_000);
    await vi.waitFor(() => expect(at.node.stack(path)).toEqual([]), 60_000);
  });

  test('leaves a mount to which a pod has made a path lead that can write there', async () => {
    const [moved, left] = [configured('moved'), configured('beside')];
    const target = `${at.node.kubelet}/of-another`;
    // The mount table spells a name that is no UTF-8 otherwise.
    const swap = `mkdir -p "$1" && mount -t tmpfs of-another "$1" && cd "$3" && ln -s "$1" "$(printf 'a\\357\\277\\275')"
      unshare -m --propagation private sh -ec 'umount "$1" && mv "$1" "$(printf "a\\377")"' sh "$2"`;
    at.node.sh(swap, target, moved.path, fusePath('left'));
    at.node.sh('rm -r "$1" && rm -r "$2"', moved.volume, left.volume);
    await vi.waitFor(() => expect(at.node.stack(left.path)).toEqual([]), 60_000);
    expect(at.node.stack(target)).toHaveLength(1);
  });

  test('is seen by a container that started in between, and by one that ran all the time (R7, R8)', async () => {
    serve('two');
    const target = await publish('ml-two', 'uid-2');
    const first = container(target);
    await Promise.all([recovered('two', at.plugin.reports.length), serve('two')]);
    const second = container(target);
    const before = at.plugin.reports.length;
    const text = serve('two');
    await recovered('two', before);
    expect([first.reads('f'), second.reads('f')]).toEqual([text, text]);
    first.end();
    second.end();
  });

  test('is bound again for a sub path, read-only, under another PersistentVolume name, and in part (R3)', async () => {
    serve('kinds');
    const sub = await publish('ml-kinds', 'uid-3', { pv: 'other-name', fluid_sub_path: 'a/b', mode: 3 });
    const plain = await publish('ml-kinds', 'uid-4');
    const part = `${at.node.kubelet}/pods/uid-4/volume-subpaths/ml-kinds/app/0`;
    at.node.sh('mkdir -p "$2" && mount --bind "$1/a" "$2"', plain, part);
    const before = at.plugin.reports.length;
    const text = serve('kinds');
    await recovered('kinds', before, 'uid-3', 'uid-4');
    expect([at.node.sh('cat "$1/f"', plain), at.node.sh('cat "$1/b/f"', part)]).toEqual([text, text]);
    expect(at.node.sh('cat "$1/f"', sub)).toBe(text);
    expect(() => at.node.sh('touch "$1/g"', sub)).toThrow('Read-only');
  });

  test('shows a reference no more than its sub path, even if that is another directory now (R4, R7)', async () => {
    serve('private');
    const sub = await publish('ml-private', 'uid-8', { pv: 'reference', fluid_sub_path: 'a/b' });
    const whole = await publish('ml-private', 'uid-9');
    at.node.sh('rm -r "$1/a/b" && mkdir "$1/a/b"', fusePath('private'));
    const before = at.plugin.reports.length;
    const text = serve('private');
    await recovered('private', before, 'uid-9');
    await at.plugin.when(
      (report) => 'note' in report && report.note.includes('pods uid-8 see it only in containers that start from now on'),
    );
    expect(at.node.stack(sub)).toHaveLength(1);
    expect(at.node.sh('ls "$1"; cat "$1/f"', sub)).toBe(`f\n${text}`);
    expect(at.node.sh('ls "$1"', whole)).toBe('a\nf\n');
  });

  test('is bound again by a plugin that was started after it (R11)', async () => {
    serve('restart');
    const target = await publish('ml-restart', 'uid-5');
    at.node.write({ volumes: { 'ml-restart': { attributes: attributes('restart'), claim: { namespace: 'ml', name: 'restart' } } } });
    await at.plugin.end('SIGKILL');
    const text = serve('restart');
    at.plugin = await at.node.startPlugin({ patienceMs: 300 });
    await recovered('restart', 0);
    expect(at.node.sh('cat "$1/f"', target)).toBe(text);
  });

  test('is bound again for the other pods too when the plugin was restarted after the first (R11)', async () => {
    serve('middle');
    const [first, other] = [await publish('ml-middle', 'uid-12'), await publish('ml-middle', 'uid-13')];
    at.node.write({ volumes: { 'ml-middle': { attributes: attributes('middle'), claim: { namespace: 'ml', name: 'middle' } } } });
    const tear = 'cd "$(dirname "$1")" && cat vol_data.json && printf \'{"driverN\' >vol_data.json';
    const data = at.node.sh(tear, other);
    const before = at.plugin.reports.length;
    const text = serve('middle');
    await recovered('middle', before, 'uid-12');
    await at.plugin.end('SIGKILL');
    at.node.sh('echo "$2" >"$(dirname "$1")/vol_data.json"', other, data);
    at.plugin = await at.node.startPlugin({ patienceMs: 300 });
    await recovered('middle', 0, 'uid-13');
    expect(at.node.sh('cat "$1/f" "$2/f"', first, other)).toBe(text.repeat(2));
    expect(at.node.stack(first)).toHaveLength(2);
  });

  test('is bound again without the API server, which unused layers outlast until it answers (R8, R10)', async () => {
    serve('alone');
    const target = await publish('ml-alone', 'uid-10');
    for (const silent of [true, true, true, true, false]) {
      at.node.write({ ...stateOf('alone', 'uid-10'), ...(silent && { silent }) });
      const before = at.plugin.reports.length;
      const text = serve('alone');
      await recovered('alone', before);
      expect(at.node.sh('cat "$1/f"', target)).toBe(text);
    }
    expect(at.node.stack(target)).toHaveLength(2);
  });

  test('leaves no more mounts each time when its plugin dies with it (R9, R11)', async () => {
    serve('both');
    const target = await publish('ml-both', 'uid-11');
    at.node.write(stateOf('both', 'uid-11'));
    for (let i = 0; i < 6; i++) {
      await at.plugin.end('SIGKILL');
      const text = serve('both');
      at.plugin = await at.node.startPlugin({ patienceMs: 300 });
      await recovered('both', 0);
      expect(at.node.sh('cat "$1/f"', target)).toBe(text);
      expect(at.node.stack(target).length).toBeLessThanOrEqual(4);
    }
  });

  test('is bound again although the kubelet was just writing vol_data.json (R12)', async () => {
    serve('torn');
    const target = await publish('ml-torn', 'uid-6');
    const data = at.node.sh('cd "$(dirname "$1")" && cp vol_data.json whole && printf \'{"driverN\' >vol_data.json && cat whole', target);
    const before = at.plugin.reports.length;
    const text = serve('torn');
    await vi.waitFor(() => expect(at.plugin.log).toContainEqual(expect.objectContaining({ target, level: 'warn' })), 100_000);
    at.node.sh('echo "$2" >"$(dirname "$1")/vol_data.json"', target, data);
    await recovered('torn', before);
    expect(at.node.sh('cat "$1/f"', target)).toBe(text);
  });

  test.each([
    ['whose new clients hang', (name: string) => void at.node.fuse(fusePath(name))],
    // As a kubelet that was restarted: it publishes again what is mounted already.
    [
      'for which calls of the kubelet wait',
      (name: string, uids: string[]) => void Promise.allSettled(uids.map((uid) => publish(`ml-${name}`, uid))),
    ],
  ])('is not delayed by consumers of other volumes %s (R13)', async (_, holdUp) => {
    await at.plugin.end();
    at.plugin = await at.node.startPlugin({ patienceMs: 300_000, bindMs: 300_000 });
    // More than there are places in any line that volumes could share.
    const slow = [1, 2, 3, 4, 5].map((i) => ({ name: `slow-${++serial}`, uids: [`${serial}-a-${i}`, `${serial}-b-${i}`] }));
    const fine = `fine-${++serial}`;
    serve(fine);
    for (const { name, uids } of slow) {
      serve(name);
      for (const uid of uids) await publish(`ml-${name}`, uid);
    }
    const target = await publish(`ml-${fine}`, 'uid-fine');
    for (const { name, uids } of slow) {
      at.node.sh('umount -c -l "$1"', fusePath(name));
      holdUp(name, uids);
    }
    const before = at.plugin.reports.length;
    const text = serve(fine);
    await recovered(fine, before);
    expect(at.node.sh('cat "$1/f"', target)).toBe(text);
    await at.plugin.end('SIGKILL');
    at.plugin = await at.node.startPlugin({ patienceMs: 300 });
  });

  test('is bound again over a mount that is dead, and over one that hangs (R7)', async () => {
    const [dead, hung] = [at.node.fuse(fusePath('dead')), at.node.fuse(fusePath('hung'))];
    for (const name of ['dead', 'hung']) {
      const target = path(`uid-${name}`, `ml-${name}`);
      at.node.sh('mkdir -p "$2" && mount -c --bind "$1" "$2"', fusePath(name), target);
      at.node.sh(
        'echo "$2" >"$(dirname "$1")/vol_data.json"',
        target,
        JSON.stringify({ driverName: 'fuse.csi.fluid.io', volumeHandle: `ml-${name}` }),
      );
    }
    at.node.write({ volumes: Object.fromEntries(['dead', 'hung'].map((name) => [`ml-${name}`, { attributes: attributes(name) }])) });
    dead.die();
    for (const name of ['dead', 'hung']) {
      const before = at.plugin.reports.length;
      const text = serve(name);
      await recovered(name, before);
      expect(at.node.sh('cat "$1/f"', path(`uid-${name}`, `ml-${name}`))).toBe(text);
    }
    hung.die();
  });
});
