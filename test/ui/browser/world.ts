/** `sluice playground` and `sluice ui` as a user starts them, and a user of the cluster. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../../src/kube/kubeconfig/kubeconfig.ts';
import { type ControllerProcess, startCommand } from '../../support/controller-process.ts';
import { createSpace, eventually, type Space } from '../../support/sluice.ts';

export interface World {
  readonly kubeconfig: string;
  /** A namespace of this name, and a user who works in it. */
  space(name: string): Promise<Space>;
  /** Starts `sluice ui`. @returns the address that it printed, which signs in once */
  ui(...flags: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

const PATIENCE_S = 110;

export async function startWorld(nodes = 3): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ui-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const playground = startCommand(['playground', '--kubeconfig', kubeconfig, '--nodes', String(nodes)], { TMPDIR: folder });
  await line(playground, /^Ctrl-C ends it/);
  const client = createClient(connectionFromKubeconfig([kubeconfig]), { fieldManager: 'a-user' });
  const started: ControllerProcess[] = [];
  return {
    kubeconfig,
    space: (name) => createSpace({ kubectl: () => Promise.reject(new Error('expected no kubectl')) }, client, name, true),
    async ui(...flags) {
      const ui = await startUi(kubeconfig, ...flags);
      started.push(ui.program);
      return ui.address;
    },
    async stop() {
      for (const each of started) await each.end('SIGTERM');
      await client.close();
      await playground.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `sluice ui` on any cluster, and the address that it printed. */
export async function startUi(
  kubeconfig: string,
  ...flags: readonly string[]
): Promise<{ readonly program: ControllerProcess; readonly address: string }> {
  const program = startCommand(['ui', '--kubeconfig', kubeconfig, ...flags]);
  return { program, address: await line(program, /^http:\S+$/) };
}

/** The first line that a program prints of this shape. */
const line = ({ lines }: ControllerProcess, shape: RegExp): Promise<string> =>
  eventually(() => {
    const found = lines.find((each) => shape.test(each));
    if (found === undefined) throw new Error(`expected a line ${shape}, found: ${lines.join('\n')}`);
    return found;
  }, PATIENCE_S);
