import { existsSync, writeFileSync } from 'node:fs';
import { createClient } from '../../kube/client/kube-client.ts';
import { ApiError, NoAnswer } from '../../kube/errors.ts';
import { FIELD_MANAGER } from '../../planning/diff/managed-fields.ts';
import type { TakeoverPlan } from '../../takeover/plan/takeover-plan.ts';
import { collect, type Define } from '../command.ts';
import { messageOf, Refused, UsageError } from '../errors.ts';
import { valuesIn } from '../install/wanted.ts';
import { allParts, configOption } from '../settings/config-file.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { complain, say, sayText, visible } from '../terminal.ts';
import { yamlText } from '../yaml-text.ts';
import { gatherPlan } from './gather-plan.ts';
import { planLines } from './plan-lines.ts';

interface Flags extends ConnectionFlags {
  readonly config?: string;
  readonly values?: string;
  readonly writeValues?: string;
  readonly namespace?: readonly string[];
  readonly fluidNamespace?: string;
  readonly output: 'text' | 'json';
}

const EXAMPLES = `
Examples:
  sluice takeover plan                                        all Datasets of the cluster
  sluice takeover plan -n ml -n web                           those of two namespaces
  sluice takeover plan --write-values sluice-values.yaml      and the values of the chart, for sluice install --values
  sluice takeover plan --values fluid-values.yaml             with these values of Fluid's chart, not those of helm's release
  sluice takeover plan -o json > plan.json

Nothing is written to the cluster: the API server runs each change as a dry run. Objects without faults are compared
although others have some.

Exit codes:
  0  nothing has to be decided
  1  something has to be decided
  2  error: bad usage, bad values, or no answer from the cluster`;

export const define: Define = (command, parts) => {
  connectionOptions(command)
    .option('--values <file>', "values of Fluid's chart (default: those of helm's release, and what Fluid's controllers have)")
    .option('--write-values <file>', 'write the values for sluice install: a new file')
    .option('-n, --namespace <namespace>', 'only Datasets, runtimes and operations of this namespace; repeatable', collect)
    .option('--fluid-namespace <namespace>', "namespace of Fluid's controllers (default: the one that its ClusterRoleBinding names)")
    .addOption(configOption())
    .addOption(command.createOption('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      if (flags.writeValues !== undefined && existsSync(flags.writeValues))
        throw new UsageError(`--write-values: expected a new file, found ${flags.writeValues}`);
      const { runtimes, resources } = await allParts(parts, flags.config);
      // The cast: it was checked that this is a mapping.
      const chartValues = flags.values === undefined ? undefined : (valuesIn(flags.values) as Readonly<Record<string, unknown>>);
      try {
        const client = createClient(await connect(flags, process.env), { fieldManager: FIELD_MANAGER });
        const began = performance.now();
        try {
          const plan = await gatherPlan(client, {
            runtimes,
            resources,
            ...(chartValues && { chartValues }),
            ...(flags.namespace && { namespaces: flags.namespace }),
            ...(flags.fluidNamespace !== undefined && { fluidNamespace: flags.fluidNamespace }),
          });
          print(plan, flags, performance.now() - began);
        } finally {
          await client.close();
        }
      } catch (error) {
        // Exit code 1 means that something has to be decided.
        if (error instanceof Refused || error instanceof ApiError || error instanceof NoAnswer) throw new UsageError(error.message);
        throw error;
      }
    });
};

function print(plan: TakeoverPlan, { output, writeValues }: Flags, ms: number): void {
  const seconds = (ms / 1000).toFixed(1);
  if (writeValues !== undefined) writeNew(writeValues, `${VALUES_HEAD}${yamlText(plan.values.values)}`);
  if (output === 'json') sayText(visible(`${JSON.stringify({ ...published(plan), seconds: Number(seconds) }, null, 2)}\n`));
  else say(...planLines(plan), `Read and compared in ${seconds} s.`);
  if (writeValues !== undefined) complain(`${writeValues}: for sluice install --values ${writeValues} --image <image>`);
  process.exitCode = plan.decisions.length > 0 ? 1 : 0;
}

/** Without whole objects of Fluid: they may hold what is confidential. */
function published({ fluid, ...plan }: TakeoverPlan): object {
  const { namespace, deployments, nodePlugin, leases, release, gitOps, versions } = fluid;
  return {
    fluid: {
      namespace,
      versions,
      deployments: deployments.map(withoutObject),
      ...(nodePlugin && { nodePlugin: { pods: nodePlugin.pods } }),
      leases: leases.map(withoutObject),
      ...(release && { release: { name: release.name, namespace: release.namespace, chartVersion: release.chartVersion } }),
      gitOps,
    },
    ...plan,
  };
}

const withoutObject = <T extends { readonly object: unknown }>({ object: _object, ...rest }: T): Omit<T, 'object'> => rest;

const VALUES_HEAD = "# Values of Fluid's chart, for `sluice install --values`. Add `image`: the image of Sluice that you push.\n";

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`${file}: expected a new file, found: ${messageOf(error)}`);
  }
}
