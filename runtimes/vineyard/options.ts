import { must, type PlanInput } from '../../src/constructs/index.ts';
import type { VineyardRuntimeSpec } from './spec.ts';

/** Options of workers and what they are without an entry. */
const WORKER = { 'vineyardd.reserve.memory': 'true', 'etcd.prefix': '/vineyard', 'wait.etcd.timeout': '120' } as const;
export const workerOptionNames: readonly string[] = Object.keys(WORKER);

type Input = Pick<PlanInput<VineyardRuntimeSpec>, 'spec'>;

export interface WorkerOptions {
  readonly reservesMemory: boolean;
  /** Of the keys in etcd. */
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
  const options = Object.entries({ size: '0', etcd_endpoint: endpoints, etcd_prefix: prefix, ...spec.fuse?.options });
  for (const [name, value] of options)
    must(/^[\x21-\x3c\x3e-\x7e]+$/.test(name), `spec.fuse.options`, 'names that a variable can have', `${name}=${value}`);
  return Object.fromEntries(options.map(([name, value]) => [name.toUpperCase(), value]));
}
