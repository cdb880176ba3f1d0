/** The plugin, on a cluster that is a file; what it writes to the cluster goes to standard output, a line each, beside its log. */
import { mkdtempSync, readFileSync } from 'node:fs';

import { dirname, join } from 'node:path';
import type { NodeCluster } from '../../../src/csi/cluster/node-cluster.ts';
import { startPlugin } from '../../../src/csi/plugin.ts';
import type { Log } from '../../../src/kube/types.ts';
import type { State } from './mount-node.ts';

const { state, ...options } = JSON.parse(process.argv[2] ?? '') as { state: string; kubeletDir: string; mountRoot: string };
const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);
const level = (name: string) => (fields: object, msg: string) => say({ level: name, ...fields, msg });
const log: Log = { debug() {}, info: level('info'), warn: level('warn'), error: level('error') };
const now = () => JSON.parse(readFileSync(state, 'utf8')) as State;
const key = ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}`;

const cluster: NodeCluster = {
  async labelNode(labels) {
    say({ report: { labels } });
    if (now().readOnlyNode) throw new Error('this node is not yours');
  },
  hasLabel: async (key) => !now().lost?.includes(key),
  volume: async (name) => (now().silent ? new Promise(() => {}) : now().volumes?.[name]),
  claimLabels: async (claim) => now().claims?.[key(claim)],
  runtime: async (name) => now().runtimes?.[key(name)],
  dataset: async (name) => now().datasets?.[key(name)],
  pod: async ({ namespace, name }) =>
    now().silent ? new Promise(() => {}) : (now().pods?.[namespace] ?? []).find(({ metadata }) => metadata.name === name),
  recordEvent: (dataset, event) => say({ report: { dataset, ...event } }),
};
try {
  const plugin = await startPlugin({
    nodeId: 'node-1',
    method: 'bind',
    version: '0.0.0',
    podLogsDir: join(dirname(options.kubeletDir), 'pod-logs'),
    endpoint: join(options.kubeletDir, 'csi-plugins/fuse.csi.fluid.io/csi.sock'),
    scratch: mkdtempSync(join(dirname(options.kubeletDir), 'scratch-')),
    cluster,
    log,
    ...options,
  });
  process.once('SIGTERM', () => void plugin.stop());
} catch (error) {
  say({ error: String(error) });
}
