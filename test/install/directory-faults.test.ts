import { expect, test } from 'vitest';
import { directoryFaults } from '../../src/install/directory-faults.ts';

test.each([
  '/var/lib/kubelet',
  '/var/lib/kubelet/pods',
  '/var/lib',
  '/var',
  '/var/log/pods/x',
  '/tmp',
  '/run',
  '/var/run',
  '/etc/a',
  '/usr',
  '/proc',
  '/sys/fs',
  '/dev/shm',
])('a mount root of %s is refused', (mountRoot) =>
  expect(directoryFaults({ mountRoot })).toEqual([
    expect.stringMatching(new RegExp(`^mountRoot: expected .*, found ${mountRoot}, which .*it$|, which is the same$`)),
  ]),
);

test.each([
  [{}],
  [{ mountRoot: '/data/mnt' }],
  [{ mountRoot: '/var/lib/sluice' }],
  [{ mountRoot: '/mnt', kubeletDir: '/var/lib/k0s/kubelet' }],
  [{ kubeletDir: '/var/snap/microk8s/common/var/lib/kubelet' }],
  [{ mountRoot: '/runner' }],
  [{ mountRoot: '/tmp/node/mounts', kubeletDir: '/tmp/node/kubelet', podLogsDir: '/tmp/node/logs' }],
])('%j is what nodes have', (options) => expect(directoryFaults(options)).toEqual([]));

test('so are other directories that collide', () => {
  expect(directoryFaults({ kubeletDir: '/var/log' })).toEqual([
    'kubeletDir: expected a directory apart from /var/log/pods (podLogsDir), found /var/log, which contains it',
  ]);
  expect(directoryFaults({ podLogsDir: '/run' })).toEqual([
    expect.stringContaining("podLogsDir: expected a directory apart from /run (the node plugin's own), found /run, which is the same"),
  ]);
});
