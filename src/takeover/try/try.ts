/** `sluice takeover try` and `try --off`: what is checked before anything is changed, and then the steps. */
import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import { resourceType } from '../../kube/types.ts';
import { isOlder } from '../../kube/version.ts';
import { type FluidInstallation, isInstalled } from '../fluid/installation.ts';
import { observeFluid } from '../fluid/observe.ts';
import { rightText } from '../fluid/reads.ts';
import { type TryInstallation, tryManifests, usersOf } from './manifests.ts';
import { readObjects, readTried, type Tried } from './observe.ts';
import { whyNotGivenBack, whyNotTried } from './refusals.ts';
import { carryOut, type TryRun } from './run.ts';
import { FORWARD, NARROWER, OFF, TAKEN_OVER } from './steps.ts';
import type { TryTarget } from './world.ts';

export interface TryCommand extends Pick<TryRun, 'client' | 'done' | 'clock'> {
  readonly installation: TryInstallation;
}
export interface TryResult {
  /** Namespaces that Sluice serves. */
  readonly namespaces: readonly string[];
  /** Namespaces that Fluid serves again. */
  readonly back: readonly string[];
}

/** Why nothing was changed. */
export class NotTried extends Error {
  override readonly name = 'NotTried';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

const Namespace = resourceType('', 'Namespace', 'namespaces', false);

/** Minor version of the first Kubernetes 1 with policies in version v1. */
const POLICIES_MINOR = 30;
/** As `sluice reconcile --namespaces` accepts. */
const MOST_NAMESPACES = 20;

/** @returns what is served afterwards @throws NotTried before anything is changed; TryStopped, ApiError and NoAnswer later */
export async function tryOut({ client, installation, done, clock }: TryCommand, wanted: readonly string[]): Promise<TryResult> {
  const version = await client.version();
  if (isOlder(version, POLICIES_MINOR))
    throw new NotTried([
      `expected Kubernetes 1.${POLICIES_MINOR} or newer, whose admission policies keep Fluid off namespaces, found ${version.gitVersion}`,
    ]);
  const fluid = await fluidIn(client);
  const { namespaces: tried, image } = await triedNow(client, fluid.namespace);
  const namespaces = [...new Set([...tried, ...wanted])].toSorted();
  const faults = [
    ...(await missingOf(client, namespaces)),
    ...(namespaces.includes(fluid.namespace) ? [`${fluid.namespace} is the namespace of Fluid itself`] : []),
    ...(namespaces.length > MOST_NAMESPACES ? [`expected at most ${MOST_NAMESPACES} namespaces, found ${namespaces.length}`] : []),
    ...whyNotTried(await readObjects(client, kindsOf(installation)), namespaces),
  ];
  if (faults.length > 0) throw new NotTried(['nothing was changed:', ...faults.map((fault) => `  ${fault}`)]);
  const target: TryTarget = {
    system: fluid.namespace,
    users: usersOf(fluid),
    namespaces,
    back: [],
    runtimes: kindsOf(installation),
    ...tryManifests(withImage(installation, image), { system: fluid.namespace, namespaces }),
  };
  await carryOut(FORWARD, { client, target, done, ...(clock && { clock }) });
  return { namespaces, back: [] };
}

/**
 * Gives these namespaces back to Fluid, or all. After a take-over, when Fluid's controllers are stopped, only the policies are left to remove.
 * @returns and throws as `tryOut`
 */
export async function giveBack({ client, installation, done, clock }: TryCommand, given: readonly string[]): Promise<TryResult> {
  const fluid = await observed(client);
  const { namespaces: tried, servesAll, image } = await readTried(client, fluid.namespace);
  const running = fluid.deployments.filter(({ role, replicas }) => role !== 'webhook' && replicas > 0).map(({ name }) => name);
  if (servesAll && running.length > 0)
    throw new NotTried([`Sluice's controller serves all namespaces, and Fluid's run beside it: stop ${running.join(', ')} first`]);
  const missing = await missingOf(
    client,
    given.filter((namespace) => !tried.includes(namespace)),
  );
  if (missing.length > 0) throw new NotTried(['nothing was changed:', ...missing]);
  // Those that are not tried any more are Fluid's already: the command may be repeated.
  const back = given.length > 0 && !servesAll ? tried.filter((namespace) => given.includes(namespace)) : tried;
  const namespaces = tried.filter((namespace) => !back.includes(namespace));
  const faults = servesAll ? [] : whyNotGivenBack(await readObjects(client, kindsOf(installation)), back);
  if (faults.length > 0) throw new NotTried(['nothing was changed:', ...faults.map((fault) => `  ${fault}`)]);
  const target: TryTarget = {
    system: fluid.namespace,
    users: usersOf(fluid),
    namespaces,
    back: servesAll ? [] : back,
    runtimes: kindsOf(installation),
    ...tryManifests(withImage(installation, image), { system: fluid.namespace, namespaces }),
  };
  const steps = servesAll ? TAKEN_OVER : namespaces.length > 0 ? NARROWER : OFF;
  await carryOut(steps, { client, target, done, ...(clock && { clock }) });
  return { namespaces, back: target.back };
}

/** @throws NotTried if there is no Fluid, or not enough of it may be read */
async function fluidIn(client: KubeClient): Promise<FluidInstallation> {
  const fluid = await observed(client);
  if (!isInstalled(fluid)) throw new NotTried(['expected controllers of Fluid, found none: sluice install serves all namespaces']);
  return fluid;
}

async function observed(client: KubeClient): Promise<FluidInstallation> {
  const fluid = await observeFluid(client);
  if (fluid.missingRights.length > 0)
    throw new NotTried(['expected these rights:', ...fluid.missingRights.map((right) => `  ${rightText(right)}`)]);
  return fluid;
}

async function triedNow(client: KubeClient, system: string): Promise<Tried> {
  const tried = await readTried(client, system);
  if (tried.servesAll) throw new NotTried([`Deployment ${system}/sluice-controller serves all namespaces: nothing is left to try`]);
  return tried;
}

/** The image stays where the values name none. */
const withImage = (installation: TryInstallation, image: string | undefined): TryInstallation =>
  image === undefined || installation.values.image !== undefined
    ? installation
    : { ...installation, values: { ...installation.values, image } };

async function missingOf(client: KubeClient, namespaces: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(namespaces.map((name) => client.get(Namespace, { name }, { metadataOnly: true }).catch(ignoreNotFound)));
  return namespaces.filter((_, i) => !found[i]).map((name) => `namespace ${name} does not exist`);
}

const kindsOf = ({ runtimes }: TryInstallation) => runtimes.map(({ resource }) => resource);
