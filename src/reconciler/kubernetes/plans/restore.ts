import { lastValidName, volumeName } from '../../../api/index.ts';
import type { ClaimFact } from '../../../constructs/index.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { Hold } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { ownedKinds } from '../../../planning/kinds.ts';
import type { Asking } from './fact-sources.ts';
import { type FactSources, gatherFacts } from '../../../planning/facts.ts';
import { type LastValid, type Recorded, readRecord } from '../../../planning/last-valid.ts';

/** The last valid input of a runtime, from the record of an earlier process. A fact that was not recorded is answered now. */
export async function restored(context: ClusterContext, asking: Asking, sources: FactSources): Promise<LastValid | Hold | undefined> {
  const {
    key: { namespace, name },
    definition,
    object,
    identity,
  } = asking;
  const record = await readBack(context, asking);
  if (!record) return undefined;
  const { annotations, spec, generations, facts } = record;
  const of = { name, namespace, uid: object.metadata.uid ?? '', annotations, spec, dataset: { identity, ...record.dataset } };
  const input = { ...of, wasInForce: true } as const;
  const gathered = await gatherFacts(
    definition,
    { ...input, settings: context.settings },
    {
      ...sources,
      claim: async (claim) => claimNow(facts.claims[claim], await sources.claim(claim)),
      keys: async (configMap) => facts.configMaps?.[configMap] ?? sources.keys(configMap),
      reference: async (need) => facts.reference ?? sources.reference(need),
      object: (kind, objectName) => facts.objects[`${kind}/${objectName}`] ?? sources.object(kind, objectName),
    },
  );
  return 'reason' in gathered ? gathered : { input: { ...input, facts: gathered.facts }, generations };
}

/** The claim becomes an owner of the Dataset: by the UID that it had in another cluster, the garbage collector would delete the Dataset. */
const claimNow = (before: ClaimFact | undefined, now: ClaimFact | Hold): ClaimFact | Hold =>
  before ? { ...before, uid: 'uid' in now ? now.uid : '' } : now;

async function readBack({ client }: ClusterContext, { key, definition, identity }: Asking): Promise<Recorded | undefined> {
  const { namespace, name } = key;
  const configMap = await client.get(ownedKinds.ConfigMap, { namespace, name: lastValidName(name) }).catch(ignoreNotFound);
  const volume = configMap && (await client.get(ownedKinds.PersistentVolume, { name: volumeName(identity) }).catch(ignoreNotFound));
  return volume && readRecord(definition, configMap, volume);
}
