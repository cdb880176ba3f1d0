import { must, type PlanInput } from '../../src/constructs/index.ts';
import type { VineyardRuntimeSpec } from './spec.ts';

/** Options of workers and what they are without an entry. */
const WORKER = { 'vineyardd.reserve.memory': 'true', 'etcd.prefix': '/vineyard', 'wait.etcd.timeout': '120' } as const;
export const workerOptionNames: readonly string[] = Object.keys(WORKER);

type Input = Pick<PlanInput<VineyardRuntimeSpec>, 'spec'>;

export interface WorkerOptions {
  readonly reservesMemory: boolean;
  /** Prefix of the keys in etcd. */
  readonly prefix: string;
  /** How long a worker waits for etcd, in seconds. */
  readonly timeout: string;
}

export function workerOptions({ spec }: Input): WorkerOptions {
  const of = (name: keyof typeof WORKER) => spec.worker?.options?.[name] || WORKER[name];
  const field = (name: keyof typeof WORKER) => `spec.worker.options[${name}]`;
  const [reserve, timeout] = [of('vineyardd.reserve.memory'), of('wait.etcd.timeout')];
  must(['true', 'false'].includes(reserve), field('vineyardd.reserve.memory'), 'true or false', reserve);
  must(/^\d{1,9}$/.test(timeout), field('wait.etcd.timeout'), 'a number of seconds', timeout);
  return { reservesMemory: reserve === 'true', prefix: of('etcd.prefix'), timeout };
}

/** Each option of the client is a variable of its name in capitals. */
export function fuseVariables({ spec }: Input, { endpoints, prefix }: { readonly endpoints: string; readonly prefix: string }) {
  const said = Object.entries(spec.fuse?.options ?? {}).map(([name, value]) => ({ name, variable: name.toUpperCase(), value }));
  const first = new Map(said.toReversed().map(({ name, variable }) => [variable, name]));
  for (const { name, variable } of said) {
    must(/^[\x21-\x3c\x3e-\x7e]+$/.test(name), 'spec.fuse.options', 'names that a variable can have', name);
    const other = first.get(variable);
    must(other === name, `spec.fuse.options[${name}]`, `one option for the variable ${variable}, which ${other} is, too`, name);
  }
  const defaults = { SIZE: '0', ETCD_ENDPOINT: endpoints, ETCD_PREFIX: prefix };
  return { ...defaults, ...Object.fromEntries(said.map(({ variable, value }) => [variable, value])) };
}
