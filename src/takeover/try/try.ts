/** `sluice takeover try` and `try --off`: what is checked before anything is changed, and then the steps. */
import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import { resourceType } from '../../kube/types.ts';
import { isOlder } from '../../kube/version.ts';
import { type FluidInstallation, isInstalled } from '../fluid/installation.ts';
import { observeFluid } from '../fluid/observe.ts';
import { rightText } from '../fluid/reads.ts';
import { type TryInstallation, tryManifests, usersOf } from './manifests.ts';
import { observe, readObjects, readTried, type Tried } from './observe.ts';
import { whyNotGivenBack, whyNotTried } from './refusals.ts';
import { carryOut, type RunOptions } from '../steps/run.ts';
import type { Step } from '../steps/step.ts';
import { NARROWER, OFF, TAKEN_OVER, WIDER } from './steps.ts';
import type { TryTarget, TryWorld } from './world.ts';

export interface TryCommand extends Omit<RunOptions<TryWorld>, 'observe'> {
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

/** @returns what is served afterwards @throws NotTried before anything is changed; Stopped, ApiError and NoAnswer later */
export async function tryOut(command: TryCommand, wanted: readonly string[]): Promise<TryResult> {
  const { client, installation } = command;
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
  return serve(command, WIDER, { ...aboutFluid(fluid), namespaces, back: [] }, image);
}

/**
 * Gives these namespaces back to Fluid, or all. After a take-over, when Fluid's controllers are stopped, only the policies are left to remove.
 * @returns and throws as `tryOut`
 */
export async function giveBack(command: TryCommand, given: readonly string[]): Promise<TryResult> {
  const { client, installation } = command;
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
  const steps = servesAll ? TAKEN_OVER : namespaces.length > 0 ? NARROWER : OFF;
  return serve(command, steps, { ...aboutFluid(fluid), namespaces, back: servesAll ? [] : back }, image);
}

const aboutFluid = (fluid: FluidInstallation) => ({ system: fluid.namespace, users: usersOf(fluid) });

/** Takes the steps. @param image stays where the values name none */
async function serve(
  { installation, ...options }: TryCommand,
  steps: readonly Step<TryWorld>[],
  aims: Pick<TryTarget, 'system' | 'users' | 'namespaces' | 'back'>,
  image: string | undefined,
): Promise<TryResult> {
  const values = { ...(image !== undefined && { image }), ...installation.values };
  const target: TryTarget = { ...aims, runtimes: kindsOf(installation), ...tryManifests({ ...installation, values }, aims) };
  await carryOut(steps, { ...options, observe: (run) => observe(options.client, target, run) });
  return { namespaces: aims.namespaces, back: aims.back };
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

async function missingOf(client: KubeClient, namespaces: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(namespaces.map((name) => client.get(Namespace, { name }, { metadataOnly: true }).catch(ignoreNotFound)));
  return namespaces.filter((_, i) => !found[i]).map((name) => `namespace ${name} does not exist`);
}

const kindsOf = ({ runtimes }: TryInstallation) => runtimes.map(({ resource }) => resource);
