import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sanityTool } from '../../../harness/tools/tools.ts';
import { canRun } from '../../support/can-run.ts';
import { serveController } from './controller-stub.ts';
import { startMountNode, type TestNode, whyNoMounts } from './mount-node.ts';
import type { TestPlugin } from './plugin.ts';

const program = (() => {
  try {
    return sanityTool();
  } catch {
    return undefined;
  }
})();
const canCheck = canRun('csi-sanity', whyNoMounts() ?? (program ? undefined : 'it is not built: run bash scripts/setup.sh'));

describe.skipIf(!canCheck)('csi-sanity', () => {
  let node: TestNode;
  let plugin: TestPlugin;
  let stop: () => void;
  const plain = () => `${node.kubelet}/csi-plugins/fuse.csi.fluid.io/csi.sock`;
  const withController = () => `${node.dir}/controller.sock`;

  beforeAll(async () => {
    node = await startMountNode();
    plugin = await node.startPlugin();
    const path = `${node.mountRoot}/thin/ml/sanity/thin-fuse`;
    node.sh('mkdir -p "$1" && mount -t tmpfs live "$1"', path);
    const attributes = { fluid_path: path, mount_type: 'tmpfs', mount_pod_node_selector_key: 'fluid.io/f-ml-sanity' };
    const seenFromHere = (socket: string) => `/proc/${plugin.pid}/root${socket}`;
    stop = await serveController(seenFromHere(withController()), seenFromHere(plain()), () => attributes);
  });
  afterAll(async () => {
    stop?.();
    await plugin?.end();
    await node?.close();
  });

  async function run(endpoint: string, ...args: string[]): Promise<readonly Spec[]> {
    const report = `${node.dir}/report.json`;
    const csi = {
      endpoint: `unix://${endpoint}`,
      controllerendpoint: `unix://${withController()}`,
      mountdir: `${node.kubelet}/sanity-mount`,
      stagingdir: `${node.kubelet}/sanity-staging`,
    };
    const flags = [...Object.entries(csi).map(([name, value]) => `--csi.${name}=${value}`), `--ginkgo.json-report=${report}`];
    const child = spawn('nsenter', ['-t', String(plugin.pid), '-m', '--', program ?? '', ...flags, '--ginkgo.no-color', ...args]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    return specsOf(node.sh('cat "$1"', report));
  }

  test('every case that runs passes, and each that does not has its reason', async () => {
    const specs = await run(plain(), '--ginkgo.skip=Controller Service');
    expect(specs.filter(({ state }) => !['passed', 'skipped', 'pending'].includes(state))).toEqual([]);
    const left = specs.filter(({ state }) => state !== 'passed');
    expect(left.filter((spec) => !SKIPS.some(([about]) => about.test(nameOf(spec))))).toEqual([]);
    // A row that is about nothing would hide that a case has come back under another name.
    expect(SKIPS.filter(([about]) => !left.some((spec) => about.test(nameOf(spec)))).map(([, why]) => why)).toEqual([]);
    expect(specs.length - left.length).toBe(20);
  });

  test('a volume is staged, published and read, once and ten times over', async () => {
    const specs = await run(withController(), '--ginkgo.focus=Node Service should (work|be idempotent)');
    expect(specs.filter(({ state }) => state === 'passed').map(({ name }) => name)).toEqual(['should work', 'should be idempotent']);
    expect(node.mounts().filter(({ mountPoint }) => mountPoint.includes('/sanity-'))).toEqual([]);
  });
});

interface Spec {
  readonly group: string;
  readonly name: string;
  readonly state: string;
  readonly message: string;
}

/** The cases that do not run, and why; by the case's full name and csi-sanity's output. */
const SKIPS: readonly (readonly [RegExp, string])[] = [
  [/^Controller Service /, 'there is no controller: Datasets make their volumes'],
  [/^GroupController Service /, 'as above'],
  [/^(Create|Delete|Get|List)Snapshots? .*not supported$/, 'a cache has no snapshots'],
  [/^(ExpandVolume|ModifyVolume) .*not supported$/, 'a volume has no size, and nothing of it can be changed'],
  [/^Controller(Get|List)VolumeHealth .*not supported$/, 'there is no controller'],
  [/^Node Service NodeExpandVolume .*not supported$/, 'a volume has no size'],
  [/^Node Service NodeGet(Volume|Storage)Health .*not supported$/, 'of CSI 1.13; NodeGetVolumeStats reports the condition of a volume'],
  [
    /^Node Service NodePublishVolume with single node multi writer/,
    'any number of pods may mount a volume; the kubelet sees to ReadWriteOncePod',
  ],
  [/^Node Service should (work|be idempotent).*CreateVolume not supported$/, 'only where a controller is: the second test'],
];

const nameOf = ({ group, name, message }: Spec): string => `${group} ${name}: ${message}`;

function specsOf(report: string): readonly Spec[] {
  interface Report {
    readonly SpecReports: readonly {
      readonly LeafNodeType: string;
      readonly LeafNodeText: string;
      readonly ContainerHierarchyTexts: readonly string[] | null;
      readonly State: string;
      readonly Failure?: { readonly Message?: string };
    }[];
  }
  const [{ SpecReports: specs }] = JSON.parse(report) as [Report];
  return specs
    .filter(({ LeafNodeType }) => LeafNodeType === 'It')
    .map(({ LeafNodeText: name, State: state, Failure, ContainerHierarchyTexts: around }) => ({
      name,
      state,
      group: around?.join(' ') ?? '',
      message: Failure?.Message ?? '',
    }));
}
