/** File systems of the kernel that do not answer, as NFS without its server: no type in the mount table says so. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { describePlugin } from './describe-plugin.ts';

const SFTP_SERVER = '/usr/lib/openssh/sftp-server';
const PROGRAMS = ['/usr/bin/sshfs', SFTP_SERVER];

describePlugin(
  'a file system of the kernel that hangs',
  { patienceMs: 300, bindMs: 1000 },
  (at) => {
    const ANY = { accessType: { case: 'mount', value: {} }, accessMode: { mode: 5 } } as const;
    const pathOf = (name: string) => `${at.node.mountRoot}/cache/ml/${name}/cache-fuse`;
    const stage = (name: string, more: Readonly<Record<string, string>> = {}) =>
      at.plugin.call.nodeStageVolume(
        {
          volumeId: `ml-${name}`,
          stagingTargetPath: `${at.node.kubelet}/plugins/kubernetes.io/csi/fuse.csi.fluid.io/ml-${name}/globalmount`,
          volumeCapability: ANY,
          volumeContext: { fluid_path: pathOf(name), mount_type: 'cache', mount_pod_node_selector_key: `fluid.io/f-ml-${name}`, ...more },
        },
        { timeoutMs: 20_000 },
      );
    const publish = (name: string, targetPath: string) =>
      at.plugin.call.nodePublishVolume({
        volumeId: `ml-${name}`,
        targetPath,
        volumeCapability: ANY,
        volumeContext: { fluid_path: pathOf(name), mount_type: '' },
      });

    /** An overlay over a FUSE client, which is stopped. Returns what ends it. */
    async function hungOverlay(path: string) {
      const [source, lower] = [`${at.node.dir}/source`, `${at.node.dir}/lower`];
      const server = `${at.node.dir}/server`;
      at.node.sh(
        'mkdir -p "$1/deep" "$2" "$3" && printf "#!/bin/sh\\nexec $5\\n" >"$4" && chmod 755 "$4"',
        source,
        lower,
        path,
        server,
        SFTP_SERVER,
      );
      const options = `ssh_command=${server},attr_timeout=0,entry_timeout=0,cache=no`;
      const client = spawn('nsenter', ['-t', String(at.node.pid), '-m', '--', 'sshfs', `host:${source}`, lower, '-f', '-o', options], {
        stdio: 'ignore',
      });
      await expect.poll(() => at.node.stack(lower).length).toBe(1);
      at.node.sh('mount -t overlay overlay -o "lowerdir=$1:$2" "$3"', lower, source, path);
      expect(at.node.stack(path)[0]?.fsType).toBe('overlay');
      client.kill('SIGSTOP');
      await expect.poll(() => readFileSync(`/proc/${client.pid}/stat`, 'utf8')).toMatch(/\) T /);
      return async () => {
        client.kill('SIGCONT');
        client.kill('SIGKILL');
        await new Promise((resolve) => client.once('close', resolve));
        at.node.sh('umount -l "$1"; umount -l "$2"', path, lower);
      };
    }

    test('holds up its own volume alone: not probes, not the staging, publishing and unpublishing of others', async () => {
      const path = pathOf('hung');
      onTestFinished(await hungOverlay(path));
      // Above the directory that it asks for, at it, and above what EFC asks for.
      const asked = [
        stage('hung'),
        stage('below', { fluid_path: `${path}/deep/er` }),
        stage('efc', { efc_sessmgr_workdir: `${path}/deep/efc` }),
        publish('hung', at.node.newTarget()),
      ].map((call) =>
        call.then(
          () => 'ok',
          (error: { code: number }) => error.code,
        ),
      );
      at.node.sh('mkdir -p "$1" && mount -t tmpfs live "$1"', pathOf('other'));
      for (let i = 0; i < 8; i++) {
        const target = at.node.newTarget();
        await at.plugin.call.probe({}, { timeoutMs: 5_000 });
        await stage('other');
        await publish('other', target);
        await expect(at.plugin.call.nodeGetVolumeStats({ volumeId: 'x', volumePath: target })).resolves.toMatchObject({
          volumeCondition: { abnormal: false },
        });
        await at.plugin.call.nodeUnpublishVolume({ volumeId: 'ml-other', targetPath: target });
      }
      // A path with a mount exists; the other calls name the file system that does not answer, and the kubelet retries.
      expect(await Promise.all(asked)).toEqual(['ok', status.UNAVAILABLE, status.UNAVAILABLE, status.UNAVAILABLE]);
    });
  },
  PROGRAMS.every((path) => existsSync(path)) ? undefined : `missing here: ${PROGRAMS.join(', ')}`,
);
