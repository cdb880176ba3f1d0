import { must, type PlanInput } from '../../src/constructs/index.ts';
import type { VineyardRuntimeSpec } from './spec.ts';

type Input = Pick<PlanInput<VineyardRuntimeSpec>, 'spec' | 'facts'>;

/** Members of the runtime's own etcd. One that was set up stays: the objects that workers hold are known to it alone. */
export const ownMasters = ({ spec, facts }: Input): number =>
  facts.masters || (spec.master?.endpoint?.uri ? 0 : (spec.master?.replicas ?? 1));

/**
 * Members of the runtime's own etcd, checked.
 * @throws InvalidSpec when the spec asks for another number than there are: etcd takes no member that it was not told of.
 */
export function mastersOf(input: Input): number {
  const masters = ownMasters(input);
  const { replicas = 1, endpoint } = input.spec.master ?? {};
  must(
    masters === 0 || masters === replicas || endpoint?.uri,
    'spec.master.replicas',
    `${masters}, as it was set up; for another number delete the VineyardRuntime and create it again`,
    replicas,
  );
  must(masters <= MOST_MEMBERS, 'spec.master.replicas', `at most ${MOST_MEMBERS} members of etcd`, masters);
  return masters;
}
/** Each writes to all others. */
const MOST_MEMBERS = 31;

/** Without credentials, which everybody who may list processes would read. The port is what vineyardd looks for. */
const ADDRESS = /^https?:\/\/(?:[\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})$/;
const isAddress = (text: string): boolean => {
  const port = Number(ADDRESS.exec(text)?.[1]);
  return port > 0 && port < 65536;
};

/** Addresses of the etcd that exists; undefined where the runtime has its own. */
export function externalOf(input: Input): string | undefined {
  if (ownMasters(input) > 0) return undefined;
  const { uri = '' } = input.spec.master?.endpoint ?? {};
  for (const each of uri.split(','))
    must(
      isAddress(each),
      'spec.master.endpoint.uri',
      'addresses http://<host>:<port> without credentials, separated by ","',
      withoutUser(each),
    );
  return uri;
}

/** The part of an address that may be shown. */
function withoutUser(address: string): string {
  const [start, end] = [address.indexOf('//'), address.lastIndexOf('@')];
  return end < 0 ? address : `${start < 0 ? '' : address.slice(0, start + 2)}…${address.slice(end)}`;
}
