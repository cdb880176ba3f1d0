/**
 * `npm run flows -- CHECKOUT`: Fluid's own end-to-end flows, CHECKOUT/test/prow, on Sluice. Python's client of Kubernetes is that
 * of Fluid's SDK (docs/python.md).
 *
 *   --kubeconfig FILE   in this cluster, where Sluice is installed. Default: a control plane of their own, with simulated nodes
 *   --plugin-log FILE   with --kubeconfig: its nodes are simulated, so play the node plugin, and write its log here
 *   --only WORD         the flows whose names have this word; repeatable
 *   --logs FOLDER       for the output of each flow (default build/flows)
 */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { flowNames, PYTHON, runFlow } from '../harness/flows/flow.ts';
import { createPluginPod, playNodePlugin } from '../harness/flows/node-plugin.ts';
import { type Stage, startStage } from '../harness/flows/stage.ts';
import { tools } from '../harness/tools/tools.ts';
import { wheelDir } from '../harness/tools/wheels.ts';
import { createClient } from '../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../src/kube/kubeconfig/kubeconfig.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kubeconfig: { type: 'string' },
    'plugin-log': { type: 'string' },
    only: { type: 'string', multiple: true, default: [''] },
    logs: { type: 'string', default: 'build/flows' },
  },
});
const folder = resolve(positionals[0] ?? '', 'test/prow');
const sdk = wheelDir('fluid-pysdk');
const lacking = [folder, sdk, PYTHON].find((path) => !existsSync(path));
const names = lacking ? [] : flowNames(folder).filter((name) => values.only.some((word) => name.includes(word)));

if (positionals.length !== 1 || lacking || names.length === 0) {
  console.error(
    lacking
      ? `flows: ${lacking} is not there`
      : 'npm run flows -- CHECKOUT [--kubeconfig FILE [--plugin-log FILE]] [--only WORD] [--logs FOLDER]',
  );
  process.exitCode = 2;
} else process.exitCode = await run();

/** 1 when a flow did not pass. */
async function run(): Promise<number> {
  const logs = resolve(values.logs);
  mkdirSync(logs, { recursive: true });
  const stage = values.kubeconfig === undefined ? await startStage(logs) : existing(values.kubeconfig);
  const client = createClient(connectionFromKubeconfig([stage.kubeconfig]), { fieldManager: 'sluice-flows' });
  const onFault = (error: unknown) => console.error(`flows: the node plugin that is played: ${String(error)}`);
  if (stage.pluginLog !== '') await createPluginPod(client);
  const plugin = stage.pluginLog === '' ? undefined : playNodePlugin(client, stage.pluginLog, onFault);
  try {
    const env = {
      PATH: [join(import.meta.dirname, '../harness/flows'), process.env['PATH']].join(delimiter),
      HOME: logs,
      KUBECTL: stage.kubectl,
      KUBECONFIG: stage.kubeconfig,
      PYTHONPATH: libraries(join(logs, 'python')),
      PYTHONDONTWRITEBYTECODE: '1',
    };
    let failures = 0;
    for (const name of names) {
      const { ok, passed, steps, seconds, problem } = await runFlow(name, { folder, env, logs });
      console.log(`${ok ? '✓' : '✗'} ${name.padEnd(36)} ${passed}/${steps} steps  ${seconds} s${problem ? `  ${problem}` : ''}`);
      if (!ok) failures++;
    }
    console.log(`${names.length - failures} passed, ${failures} failed; their outputs: ${logs}`);
    return failures > 0 ? 1 : 0;
  } finally {
    await plugin?.stop();
    await client.close();
    await stage.stop();
  }
}

/** A folder with the libraries of the SDK: its own package is called `fluid`, as that of the flows is. */
function libraries(links: string): string {
  rmSync(links, { recursive: true, force: true });
  mkdirSync(links);
  for (const each of readdirSync(sdk)) if (each !== 'fluid') symlinkSync(join(sdk, each), join(links, each));
  return links;
}

function existing(kubeconfig: string): Stage {
  return { kubeconfig: resolve(kubeconfig), kubectl: tools().kubectl, pluginLog: values['plugin-log'] ?? '', stop: async () => {} };
}
