/** The common part of `go`, `status`, `back` and `finish`: the cluster, what of Fluid is there, and the installation of Sluice. */
import type { CustomResource } from '../../api/index.ts';
import { type InstallOptions, installationOf, settled } from '../../install/index.ts';
import { createClient, type KubeClient } from '../../kube/client/kube-client.ts';
import { ApiError, ignoreNotFound, NoAnswer } from '../../kube/errors.ts';
import { ownedKinds, typeOf, workloadType } from '../../planning/kinds.ts';
import type { FluidInstallation } from '../../takeover/fluid/installation.ts';
import { observeFluid } from '../../takeover/fluid/observe.ts';
import { partsOf } from '../../takeover/world/parts.ts';
import { RECORD, recordIn, type TakeoverRecord } from '../../takeover/world/record.ts';
import { Stopped } from '../../takeover/steps/stopped.ts';
import type { Target } from '../../takeover/world/world.ts';
import type { Package } from '../command.ts';
import { Refused } from '../errors.ts';
import type { Wanted } from '../install/wanted.ts';
import { allParts } from '../settings/config-file.ts';
import { type ConnectionFlags, connect } from '../settings/connection.ts';

export interface TakeoverFlags extends ConnectionFlags {
  readonly config?: string;
}

/** A connection, and what of Fluid was found. */
export interface Session {
  readonly client: KubeClient;
  readonly fluid: FluidInstallation;
  readonly record: TakeoverRecord;
  readonly signal: AbortSignal;
}

/** Writes under this field manager, but for the manifests of the installation. */
const MANAGER = 'sluice-takeover';

/** Runs a command with a session, and says its errors in words. A signal ends it between two writes. */
export async function inSession(flags: TakeoverFlags, run: (session: Session) => Promise<void>): Promise<void> {
  const client = createClient(await connect(flags, process.env), { fieldManager: MANAGER });
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Stopped(['interrupted between two writes']));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const fluid = await observeFluid(client);
    const { namespace } = fluid;
    const record = recordIn(await client.get(ownedKinds.ConfigMap, { namespace, name: RECORD }).catch(ignoreNotFound));
    await run({ client, fluid, record, signal: stop.signal });
  } catch (error) {
    if (error instanceof Stopped) throw new Refused(error.lines, { cause: error });
    if (error instanceof ApiError || error instanceof NoAnswer) throw new Refused(error.message, { cause: error });
    throw error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await client.close();
  }
}

/** The installation as a target. */
export const targetOf = (
  values: InstallOptions,
  { options, resources, runtimes }: Pick<Wanted, 'options' | 'resources' | 'runtimes'>,
): Target => ({
  namespace: options.namespace,
  values,
  parts: partsOf(installationOf(options, { resources, runtimes })),
  workloads: runtimes.flatMap(({ fluidsWorkloads }) => (fluidsWorkloads ? [workloadType(fluidsWorkloads)] : [])),
  kinds: resources.map(typeOf),
});

/** The installation that `go` recorded; with `all`, and everything that other values would add. */
export async function recordedInstallation(
  { record, fluid: { namespace } }: Session,
  flags: TakeoverFlags,
  parts: Package,
  { all = false } = {},
): Promise<{ readonly target: Target; readonly resources: readonly CustomResource[] }> {
  const { runtimes, resources, furtherRuntimes } = await allParts(parts, flags.config);
  // The cast: `go` recorded values that it had read as such.
  const values: InstallOptions = { ...(record.values as InstallOptions | undefined), namespace };
  const more: InstallOptions = { reservedKeys: 'deny', nodePolicy: true, webhook: { ...values.webhook, enabled: true, validation: true } };
  const options = settled({ ...values, ...(all && more) }, '', { furtherRuntimes });
  return { target: targetOf(values, { options, resources, runtimes }), resources };
}
