import type { Log } from '../../kube/types.ts';
import { list, record, text } from '../shapes.ts';
import type { Review, AdmissionOutcome } from './review.ts';

/** As long as a name may be; the API server has not checked the pod yet. */
const LONGEST_NAME = 253;
const LONGEST_REASON = 1_000;

/** A line for each pod that was denied or admitted with warnings: the one who created it, such as a Job, may show the answer to nobody. */
export function logVerdict(log: Log, review: Review, verdict: AdmissionOutcome): void {
  if (verdict.outcome === 'denied') log.info({ ...podIn(review), reason: shownReason(verdict.message) }, 'denied a pod');
  else if ('warnings' in verdict && verdict.warnings?.length)
    log.info({ ...podIn(review), warnings: verdict.warnings.map(shownReason) }, 'admitted a pod with warnings');
}

/** By what an operator finds the pod, and nothing else of it. threat-model: keeps */
function podIn({ namespace, object }: Review): object {
  const { name, generateName, ownerReferences } = record(record(object)['metadata']);
  const owners = list(ownerReferences).map(record);
  const owner = owners.find(({ controller }) => controller === true) ?? owners[0];
  return {
    namespace,
    ...shownField('name', name),
    ...shownField('generateName', generateName),
    ...(owner && { owner: `${text(owner['kind']) ?? ''}/${text(owner['name']) ?? ''}`.slice(0, LONGEST_NAME) }),
  };
}

const shownField = (field: string, value: unknown): object =>
  text(value) === undefined || value === '' ? {} : { [field]: text(value)?.slice(0, LONGEST_NAME) };

/** The value of a field of the pod may be a secret, such as a value among variables of a prefetcher. */
function shownReason(message: string): string {
  const said = message.slice(0, LONGEST_REASON);
  const field = said.search(/(?:^|: )(?:metadata|spec)[.[:]/);
  const found = field < 0 ? -1 : said.indexOf(', found ', field);
  return found < 0 ? said : said.slice(0, found);
}
