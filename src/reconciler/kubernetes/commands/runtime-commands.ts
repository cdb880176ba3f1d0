import type { Cluster } from '../../cluster.ts';
import { type ClusterContext, podChoice, runtimeOf } from '../cluster-context.ts';
import { askProbe, canRun, runCommands } from './exec.ts';

/** Has the pods of a runtime change its mounts and clean its caches. Both return at once: commands are slow, so their ends wake the key. */
export function runtimeCommands({
  store,
  takeover,
  jobs,
  exec,
  mountTries,
  confirmed,
  wake,
}: ClusterContext): Pick<Cluster, 'run' | 'clean'> {
  return {
    run(world, commands, change) {
      const { uid = '', generation } = world.runtime.metadata;
      const ended = mountTries.begun(uid, change);
      jobs.ask(
        `${uid}/run`,
        { namespace: world.key.namespace, version: `${world.dataset.metadata.generation}/${generation}`, everyMs: 0 },
        () =>
          runCommands(exec, podChoice({ store, takeover }, world.key, runtimeOf(store, world), uid, world.plan.leader), commands)
            .then(
              () => ended(true),
              (error: unknown) => {
                ended(false);
                throw error;
              },
            )
            .finally(() => jobs.drop(`${uid}/mounts`)),
        () => wake(world.key),
      );
    },
    async clean({ key, object, definition, dataset, plan, planError, cleaning }) {
      const { uid = '' } = object.metadata;
      const due = { namespace: key.namespace, version: String(cleaning.attempts + 1), everyMs: 1000 };
      if (planError !== undefined)
        jobs.ask(
          `${uid}/clean`,
          due,
          () => Promise.reject(new Error(planError)),
          () => {},
        );
      if (!plan?.cleanup) return;
      await confirmed(dataset ? [object, dataset] : [object]);
      const { ask, commands } = plan.cleanup;
      const choice = podChoice({ store, takeover }, key, definition, uid, plan.leader);
      jobs.ask(
        `${uid}/clean`,
        due,
        async () => {
          const found = ask ? await askProbe(exec, choice, ask) : undefined;
          // A command without a pod to run in has nothing left to clean.
          await runCommands(
            exec,
            choice,
            commands(found).filter((command) => canRun(choice, [command])),
          );
        },
        // A failed attempt is retried by the clock, so that not all attempts run at once.
        () => jobs.state(`${uid}/clean`).error === undefined && wake(key),
      );
    },
  };
}
