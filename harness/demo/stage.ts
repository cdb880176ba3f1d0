/** The common part of the scenes on a real node. */
import { until } from './steps.ts';
import { type Progress, secondsText } from './progress.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Installed } from '../../test/node/installed.ts';

export interface Stage extends Pick<Installed, 'plane' | 'node'> {
  /** Has the files of docs/thin-runtime.md. */
  readonly folder: string;
  readonly progress: Progress;
  /** Ends every scene: nothing more is created or waited for. */
  readonly signal: AbortSignal;
}

export interface Timeline {
  print(what: string, at?: number): void;
  /** Waits, and then prints. */
  reached(what: string, holds: () => Promise<boolean>, patienceMs?: number): Promise<void>;
}

/** Lines with the time since now. */
export function timeline({ progress: { line }, signal }: Pick<Stage, 'progress' | 'signal'>): Timeline {
  const begins = Date.now();
  const print = (what: string, at = Date.now()) => line(`  ${secondsText(at - begins).padStart(7)}  ${what}`);
  return {
    print,
    async reached(what, holds, patienceMs) {
      await until(signal, holds, what, patienceMs);
      print(what);
    },
  };
}

export interface Status {
  readonly phase?: string;
  readonly masterPhase?: string;
  readonly containerStatuses?: readonly { readonly state: { readonly running?: object; readonly terminated?: object } }[];
}

const NAMESPACE = 'namespaces/default';
export const PODS = `/api/v1/${NAMESPACE}/pods`;
export const ours = (plural: string, name: string): string => `/apis/data.fluid.io/v1alpha1/${NAMESPACE}/${plural}/${name}`;

/** Empty while the object does not exist. */
export const statusOf = ({ plane }: Pick<Stage, 'plane'>, path: string): Promise<Status> =>
  plane.get(path).then(
    (object) => (object as KubeObject & { readonly status?: Status }).status ?? {},
    () => ({}),
  );

export const hasRun = ({ containerStatuses: [one] = [] }: Status): boolean =>
  one?.state.running !== undefined || one?.state.terminated !== undefined;

export async function assertUnlabelled({ plane: { kubectl }, node }: Stage): Promise<void> {
  const labels = await kubectl('get', 'node', node.name, '-o', 'jsonpath={.metadata.labels}');
  if (labels.includes('fluid.io/')) throw new Error(`labels are left on node ${node.name}: ${labels}`);
}
