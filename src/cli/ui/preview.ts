import type { Runtime, Settings } from '../../constructs/index.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { ApiError } from '../../kube/errors.ts';
import type { ResourceType } from '../../kube/types.ts';
import type { Preview } from '../../ui/server/api.ts';
import type { EditPreview } from '../../ui/wire.ts';
import { effectText, masked } from '../diff/change-lines.ts';
import { compared } from '../diff/compared.ts';
import { throwFaults } from '../diff/offline.ts';
import { Refused } from '../errors.ts';
import { BadInput, faultLine, inPlace } from '../input/faults.ts';
import { passedOver } from '../input/passed-over.ts';
import { type InputObjects, readInput, refOf } from '../input/read.ts';
import { inCluster } from '../synth/lookup.ts';
import { warningLines } from '../synth/warnings.ts';

/** Objects of one edit: a Dataset, its runtime, some operations. */
const MOST_OBJECTS = 20;
const ELSEWHERE = 'note: other namespaces are not read: host ports that runtimes have there are not known';

/** The preview of an edited manifest of one Dataset as `sluice diff` computes it, with the settings of this process. */
export const createPreview =
  ({ runtimes, settings }: { readonly runtimes: readonly Runtime[]; readonly settings: Settings }): Preview =>
  async (client, { namespace, text }) => {
    const input = readInput([['edit', text]], runtimes, namespace);
    try {
      checkScope(input, namespace);
      throwFaults(input);
      const scoped = within(client);
      const cluster = inCluster(scoped, runtimes, [namespace]);
      const { changes, faults, rendered } = await compared(scoped, input, { settings, runtimes, elsewhere: cluster });
      const gaps = cluster.gaps().map((gap) => (gap.includes('in all namespaces') ? ELSEWHERE : gap));
      return {
        faults: inPlace(faults).map(faultLine),
        warnings: [...new Set([...warningLines(rendered), ...gaps, ...passedOver(input)])],
        changes: changes
          .flatMap((each) => each.changes)
          .map((change) => ({ object: change.object, effect: effectText(change), diff: diffOf(change) }))
          .filter(({ effect, diff }) => effect !== '' || diff !== ''),
      };
    } catch (error) {
      if (error instanceof BadInput) return faulty(error.faults.map(faultLine));
      if (error instanceof Refused) return faulty(error.lines);
      if (error instanceof ApiError) return faulty([error.message]);
      throw error;
    }
  };

const faulty = (faults: readonly string[]): EditPreview => ({ faults, warnings: [], changes: [] });

const diffOf = ({ action, before, after }: Parameters<typeof effectText>[0]): string =>
  action === 'add' || action === 'change' ? masked(before, after).join('\n') : '';

/** An edit of one Dataset is about its namespace alone. */
function checkScope({ all }: InputObjects, namespace: string): void {
  if (all.length > MOST_OBJECTS) throw new Refused(`expected at most ${MOST_OBJECTS} objects, found ${all.length}`);
  const outside = all.find(({ object }) => object.metadata.namespace !== undefined && object.metadata.namespace !== namespace);
  if (outside) throw new Refused(`${refOf(outside.object)}: expected an object of namespace ${namespace}`);
}

/** A client that lists nothing of all namespaces: of thousands of runtimes, a comparison needs no more than their ports. */
const within = (client: KubeClient): KubeClient => ({
  ...client,
  list: async (type, options = {}) => {
    if (type.namespaced && options.namespace === undefined) throw refusal(type);
    return client.list(type, options);
  },
});

function refusal({ plural }: ResourceType): ApiError {
  const body = { status: 'Failure', reason: 'Forbidden', code: 403 } as const;
  return new ApiError({ method: 'GET', path: `/${plural}` }, 403, `the page cannot list resource "${plural}" in all namespaces`, { body });
}
