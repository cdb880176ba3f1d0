/** The installation of Sluice that a take-over plans with. */
import { Command, CommanderError } from 'commander';
import type { CustomResource } from '../../api/index.ts';
import type { Runtime, Settings } from '../../constructs/contract.ts';
import { type InstallOptions, installationOf, settled } from '../../install/index.ts';
import { UsageError } from '../errors.ts';
import { faultsOfValues } from '../install/wanted.ts';
import { type ControllerFlags, controllerConfigOf, controllerOptions, settingsOf } from '../settings/config.ts';
import { version } from '../version.ts';

/** Variables that the controller reads, beside those that `sluice install` sets. */
export const variablesOf = (runtimes: readonly Runtime[]): ReadonlySet<string> =>
  new Set(['KEY_DISABLE_APP_CONTROLLER', ...runtimes.flatMap(({ env }) => env)]);

/** The settings of the controller that these values install, and its manifests. */
export function installed(values: object, runtimes: readonly Runtime[], resources: readonly CustomResource[]) {
  const faults = faultsOfValues(values, runtimes);
  // With values that are wrong, the plan goes on as if none were given.
  const options = settled(faults.length === 0 ? (values as InstallOptions) : {}, `sluice:${version()}`);
  const manifests = installationOf(options, { resources, runtimes });
  try {
    return { manifests, faults, settings: settingsOfController(manifests, runtimes) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { manifests, faults: [...faults, ...error.lines], settings: settingsOf({}, {}, runtimes) };
  }
}

/** The controller's own reading of its arguments and variables. @throws UsageError for a value that it would not start with */
function settingsOfController(manifests: readonly object[], runtimes: readonly Runtime[]): Settings {
  // The cast: `sluice install` prints this Deployment.
  const deployments = manifests as readonly {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly Container[] } } };
  }[];
  const found = deployments.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'sluice-controller');
  const { args = [], env = [] } = found?.spec?.template?.spec?.containers?.[0] ?? {};
  const command = controllerOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    // Those of connections and logs.
    .allowUnknownOption()
    .allowExcessArguments();
  const variables = Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
  try {
    return controllerConfigOf(command.parse([...args], { from: 'user' }).opts<ControllerFlags>(), variables, runtimes).settings;
  } catch (error) {
    throw error instanceof CommanderError ? new UsageError(`controller.args: ${error.message}`) : error;
  }
}
interface Container {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}
