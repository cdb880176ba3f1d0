import { hash } from 'node:crypto';
import { label, volumeName, workloadName } from '../../api/index.ts';
import type { BoundRuntime, Role } from '../../constructs/index.ts';
import type { Cluster } from '../cluster.ts';
import { identityOf } from '../identity.ts';
import { CALCULATING } from '../status.ts';
import { type LiveObject, PARTS, type WorkloadView, type World } from '../world.ts';
import { askProbe } from './exec.ts';
import { gatherFacts } from './facts.ts';
import { canAsk, type Parts, podChoice } from './parts.ts';
import { recordedPorts } from './port-table.ts';
import { livePort } from './ports.ts';
import { evidence } from './survivors.ts';
import { fluidsWorkloads, unseen, workloadKind } from './unseen.ts';
import { fuseFact, workloadView } from './views.ts';

const BOUND = new Set(['Bound', 'Updating', 'Failed', 'DataMigrating']);
/** A failed metadata count or mount list is tried again this often. */
const RETRY_MS = 10_000;
/** Answers that come within this time are told together, and not before: that they are being asked for is no news either. */
const ANSWERS_WITHIN_MS = 1000;

/** One consistent reading: the objects from the watches, the facts behind them, and what the probes found last. */
export function observer(parts: Parts): Cluster['observe'] {
  const { store, lookups, bindings, ports, jobs, exec, settings, probeMs, secretMs = 300_000, wake, now } = parts;
  return async (key, dataset, runtime, object) => {
    const { namespace, name } = key;
    const { uid = '', generation } = object.metadata;
    const claimNow = () => store.live('PersistentVolumeClaim', namespace, name);
    const identity = identityOf(key, evidence(store, key, { dataset, runtime: object, claimed: volumeOf(claimNow(), uid) }));
    const bound = BOUND.has(dataset.status?.phase ?? '');
    const owner = { uid, namespace, name };
    const fluids = await fluidsWorkloads(parts, owner, bound, object.status);
    const workload = (role: Role) => store.live(workloadKind(role), namespace, workloadName(name, role)) ?? fluids.get(role);
    const fuse = fuseFact(workload('fuse'));
    const recorded = recordedPorts(object);
    const asker = { uid, generations: `${generation}/${dataset.metadata.generation}` };
    const input = {
      name,
      namespace,
      uid,
      annotations: object.metadata.annotations ?? {},
      spec: object.spec,
      dataset: { identity, annotations: dataset.metadata.annotations ?? {}, spec: dataset.spec },
      settings,
    };
    const gathered = await gatherFacts(runtime, input, {
      ...(fuse && { fuse }),
      port: (need) =>
        recorded[need.name] ??
        livePort(need, workload(need.in)) ??
        ports(uid, runtime.type, need) ?? {
          reason: 'PortsExhausted',
          message: `no host port is left between ${need.range.join(' and ')}`,
          retryMs: 30_000,
        },
      // What is bound has its Secrets; only their contents may be needed still.
      secret: async (need) => (bound && !need.inline ? 'assumed' : lookups.secret(namespace, need, asker)),
      claim: (claim) => lookups.claim(namespace, claim, asker),
      object: (kind, objectName) => store.companion(kind, objectName),
    });
    if ('reason' in gathered) return { hold: gathered };
    const { facts, missingSecrets, secretRetryMs } = gathered;
    const plan = bindings.bind(runtime, { ...input, facts });
    const choice = podChoice(store, key);
    const woken = () => wake(key);

    const workloads: Partial<Record<Role, WorkloadView>> = {};
    for (const role of plan.roles) {
      const live = workload(role);
      if (live) workloads[role] = workloadView(live, store.pods(live.metadata.uid));
    }
    const cache =
      probeMs > 0 && canAsk(store, key, plan.probes.cache)
        ? jobs.ask(`${uid}/cache`, '', probeMs, () => askProbe(exec, choice, plan.probes.cache!), woken)
        : undefined;
    const total = dataset.status?.ufsTotal;
    // With a table of mounts there is nothing to count before they are mounted.
    const counts = (bound || !plan.mounts) && (!total || total === CALCULATING) && canAsk(store, key, plan.probes.ufs);
    const ufs = counts
      ? jobs.ask(`${uid}/ufs`, '', Math.max(probeMs, RETRY_MS), () => askProbe(exec, choice, plan.probes.ufs!), woken)
      : undefined;
    const masters = choice
      .pods('master')
      // A master that was started again in its pod has no mounts any more either.
      .map(({ metadata, restarts }) => `${metadata.uid}/${restarts}`)
      .join();
    const mounts =
      plan.mounts && canAsk(store, key, plan.mounts.list)
        ? jobs.ask(
            `${uid}/mounts`,
            `${dataset.metadata.generation}/${masters}`,
            jobs.state(`${uid}/mounts`).error === undefined ? Infinity : RETRY_MS,
            () => askProbe(exec, choice, plan.mounts!.list),
            woken,
          )
        : undefined;
    const error = mounts?.error ?? jobs.state(`${uid}/run`).error;
    const answersIn = Math.max(...[cache, ufs].map((job) => (job?.running ? ANSWERS_WITHIN_MS - (now() - (job.startedAt ?? 0)) : 0)));
    const answered = answersIn <= 0;
    const again = [
      ...(cache ? [probeMs] : []),
      ...(answered ? [] : [answersIn]),
      ...(ufs?.error === undefined ? [] : [Math.max(probeMs, RETRY_MS)]),
      ...(secretMs > 0 && (Object.keys(facts.secrets).length > 0 || writesSecrets(plan)) ? [spread(uid, secretMs)] : []),
    ];

    const volume = store.live('PersistentVolume', undefined, volumeName(identity));
    // A bound volume has a claim: one that we do not see has lost its label, or never had one.
    const claim = claimNow() ?? (isBound(volume) ? await unseen(parts, 'PersistentVolumeClaim', owner, name) : undefined);
    const world: World = {
      now: now(),
      key,
      dataset,
      runtime: object,
      plan,
      bound,
      workloads,
      ...(volume && { volume }),
      ...(claim && { claim }),
      missingSecrets,
      ...(secretRetryMs !== undefined && { secretRetryMs }),
      probes: {
        ...(answered && cache?.value && { cache: cache.value }),
        cacheRunning: !answered || (cache?.running ?? false),
        ...(answered && ufs?.value && { ufs: ufs.value }),
        ufsRunning: answered && (ufs?.running ?? false),
      },
      ...(mounts?.value && { mounted: mounts.value }),
      ...(error && { execError: error }),
      ...(again.length > 0 && { againMs: Math.min(...again) }),
    };
    return {
      world,
      identity,
      marks: {
        ports: facts.ports,
        claims: Object.entries(facts.claims).map(([claimed, { uid: claimUid }]) => ({ name: claimed, uid: claimUid })),
      },
    };
  };
}

/** Nobody tells us when these change, nor when what they are copied from does. */
const writesSecrets = (plan: BoundRuntime): boolean => PARTS.some((part) => plan.synth(part).some(({ kind }) => kind === 'Secret'));

/** Between half of `ms` and all of it, so that runtimes which were set up together do not ask together. */
const spread = (uid: string, ms: number): number => Math.round(ms * (0.5 + Number.parseInt(hash('sha1', uid).slice(0, 4), 16) / 0x1ffff));

const isBound = (volume: LiveObject | undefined): boolean => volume?.status?.['phase'] === 'Bound';

/** The volume of a claim that we made. */
const volumeOf = (claim: LiveObject | undefined, owner: string): string | undefined =>
  claim?.metadata.labels?.[label.owner] === owner ? (claim['spec'] as { volumeName?: string }).volumeName : undefined;
