import { must, type PlanInput, together } from '../../src/constructs/index.ts';
import type { Ports } from './ports.ts';
import type { Properties } from './properties.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

type Input = Pick<PlanInput<AlluxioRuntimeSpec>, 'spec' | 'runtime' | 'facts'>;

/** Each entry of a journal is written by more than half of the masters: more of them are slower, and hardly safer. */
const MOST = 9;
const JOURNAL = 'alluxio.master.journal.type';
const STANDBY_WEB = 'alluxio.standby.master.web.enabled';

/** The masters by the names of their pods, which are those of their Services. Several of them elect the one that leads. */
export function mastersOf({ spec, runtime, facts }: Input): readonly string[] {
  const count = spec.master?.replicas ?? 1;
  must(count <= MOST, 'spec.master.replicas', `1 to ${MOST}`, count);
  // Each process has the list of masters from its start, and the journal of a single one is no journal of several.
  const { masters = count } = facts;
  must(
    count === masters,
    'spec.master.replicas',
    `${masters}, as it was set up; for another number delete the AlluxioRuntime and create it again`,
    count,
  );
  if (count > 1)
    together({
      common: () => checkShared(spec.properties, 'spec.properties'),
      own: () => checkShared(spec.master?.properties, 'spec.master.properties'),
    });
  return Array.from({ length: count }, (_, i) => `${runtime.workloads.master}-${i}`);
}

/** Several masters share a journal, and the one that leads is known by its web port. */
function checkShared(properties: Properties = {}, field: string): void {
  const { [JOURNAL]: journal = 'EMBEDDED', [STANDBY_WEB]: standby = 'false' } = properties;
  together({
    journal: () => must(journal === 'EMBEDDED', `${field}[${JOURNAL}]`, 'EMBEDDED, which several masters need to share a journal', journal),
    standby: () => must(standby === 'false', `${field}[${STANDBY_WEB}]`, 'false: the master that leads is known by its web port', standby),
  });
}

/** How processes find a master: the only one by its name, several by where their journals are. */
export const addressesOf = (masters: readonly string[], namespace: string, { masterJournal }: Ports): Properties =>
  masters.length > 1
    ? { 'alluxio.master.embedded.journal.addresses': masters.map((name) => `${name}:${masterJournal}`).join() }
    : { 'alluxio.master.hostname': `${masters[0]}.${namespace}` };
