/** Servers of the file systems in examples/profiles that have some in Debian, as pods. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILE_SYSTEMS_IMAGE, MINIO_IMAGE } from '../../harness/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { secret } from '../support/objects.ts';

export interface FileSystem {
  /** The server, whose `file` holds the name of the profile; ready when it has it. */
  readonly server: readonly KubeObject[];
  readonly secrets?: readonly KubeObject[];
  /** Prints `new`, which the pod wrote, in a container of the server. */
  readonly reading: readonly string[];
  readonly edited?: (dataset: string) => string;
}

/** By the name of the profile. Each makes keys of its own. */
export const fileSystems: Readonly<Record<string, () => FileSystem>> = { s3: () => s3(), sshfs, glusterfs, cephfs };

/** A pod `<profile>-server` and its Service. */
export const served = (
  profile: string,
  service: string,
  ports: readonly number[],
  containers: readonly object[],
): readonly KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${profile}-server`, labels: { app: service } },
    spec: { terminationGracePeriodSeconds: 1, containers, volumes: [{ name: 'data', emptyDir: {} }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: service },
    // Headless: GlusterFS wants the ports of bricks too.
    spec: { clusterIP: 'None', selector: { app: service }, ports: ports.map((port) => ({ name: `p${port}`, port })) },
  },
];
const data = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
const whenThere = (file: string) => ({ readinessProbe: { exec: { command: ['test', '-e', file] }, periodSeconds: 1 } });

/** MinIO, whose Service has the name of the profile. */
export function s3(profile = 's3', image = FILE_SYSTEMS_IMAGE): FileSystem {
  const credentials = { 'access-key': 'minioadmin', 'secret-key': 'minioadmin' };
  const store = {
    TYPE: 's3',
    PROVIDER: 'Minio',
    ENDPOINT: 'http://localhost:9000',
    ACCESS_KEY_ID: 'minioadmin',
    SECRET_ACCESS_KEY: 'minioadmin',
  };
  const script = `cd /tmp; echo ${profile} > file; until rclone copy file store:my-bucket/folder; do sleep 1; done; touch done; exec tail -f /dev/null`;
  return {
    server: served(
      profile,
      profile,
      [9000],
      [
        {
          name: 'main',
          image,
          command: ['sh', '-ec', script],
          env: Object.entries(store).map(([key, value]) => ({ name: `RCLONE_CONFIG_STORE_${key}`, value })),
          ...whenThere('/tmp/done'),
        },
        { name: 'minio', image: MINIO_IMAGE, command: ['minio', 'server', '/data'], ...data },
      ],
    ),
    secrets: [secret(`${profile}-keys`, credentials)],
    reading: ['sh', '-ec', 'rclone copy store:my-bucket/folder/new /tmp/read; cat /tmp/read/new'],
  };
}

interface Keys {
  readonly host: string;
  readonly hostPublic: string;
  readonly user: string;
  readonly userPublic: string;
}
function sshKeys(): Keys {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-keys-'));
  try {
    for (const name of ['host', 'user']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(folder, name)]);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { host: read('host'), hostPublic: read('host.pub').trim(), user: read('user'), userPublic: read('user.pub').trim() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sshfs(): FileSystem {
  const { host, hostPublic, user, userPublic } = sshKeys();
  // sshd wants its keys for itself.
  const script = `umask 077; mkdir -p /run/sshd /root; echo "$HOST_KEY" > /root/host; echo "$USER_KEY" > /root/user
    umask 022; echo sshfs > /data/file
    exec /usr/sbin/sshd -D -e -f /dev/null -h /root/host -p 2222 -o AuthorizedKeysFile=/root/user -o StrictModes=no -o 'Subsystem=sftp internal-sftp'`;
  const env = [
    { name: 'HOST_KEY', value: host },
    { name: 'USER_KEY', value: userPublic },
  ];
  const container = { name: 'main', image: FILE_SYSTEMS_IMAGE, command: ['sh', '-ec', script], env, ...data };
  return {
    server: served('sshfs', 'sftp', [2222], [{ ...container, readinessProbe: { tcpSocket: { port: 2222 }, periodSeconds: 1 } }]),
    secrets: [secret('sshfs-key', { 'private-key': user })],
    reading: ['cat', '/data/new'],
    edited: (text) => text.replace('ssh-ed25519 AAAA', hostPublic),
  };
}

/** A volume of one brick, which glusterd serves. Bricks have attributes that only root of the machine may set. */
function glusterfs(): FileSystem {
  const script = `mkdir -p /data/brick /tmp/mnt; glusterd
    until gluster --mode=script volume create vol "$IP:/data/brick" force; do sleep 1; done
    gluster --mode=script volume start vol
    until glusterfs --volfile-server="$IP" --volfile-id=vol /tmp/mnt && echo glusterfs > /tmp/mnt/file; do sleep 1; done
    touch /tmp/done; exec tail -f /dev/null`;
  const env = [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }];
  const container = {
    name: 'main',
    image: FILE_SYSTEMS_IMAGE,
    command: ['sh', '-ec', script],
    env,
    securityContext: { privileged: true },
    ...data,
  };
  return {
    server: served('glusterfs', 'gluster', [24007, 49152], [{ ...container, ...whenThere('/tmp/done') }]),
    reading: ['cat', '/tmp/mnt/new'],
  };
}

/** A key as Ceph writes it: of type 1, its time in seconds and nanoseconds, and 16 bytes. The server has it too, for itself and for the client. */
function cephfs(): FileSystem {
  const head = Buffer.alloc(12);
  head.writeUInt16LE(1);
  head.writeUInt16LE(16, 10);
  const key = Buffer.concat([head, randomBytes(16)]).toString('base64');
  const env = [
    { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'KEY', value: key },
  ];
  const container = { name: 'main', image: FILE_SYSTEMS_IMAGE, command: ['ceph-server'], env, securityContext: { privileged: true } };
  return {
    server: served('cephfs', 'ceph', [6789], [{ ...container, ...whenThere('/tmp/done') }]),
    secrets: [secret('cephfs-key', { key })],
    reading: ['cat', '/tmp/mnt/folder/new'],
  };
}
