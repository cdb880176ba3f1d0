import type { DatasetSpec } from '../../src/api/index.ts';
import { must } from '../../src/constructs/index.ts';
import type { ClassComponent } from './class-spec.ts';
import { pathsOf } from './runtime-config.ts';
import type { Parts } from './topology.ts';

/** A command of the class, and the container that runs it. */
export interface Entry {
  readonly in: 'master' | 'worker';
  readonly container: string;
  readonly argv: readonly string[];
  readonly timeoutSeconds: number;
}
/** The commands that the controller runs in pods, as far as the class defines them. */
export interface Entries {
  /** The command that mounts, the paths that it has to mount, and from which runtime.json. */
  readonly mountUFS?: { readonly entry: Entry; readonly paths: readonly string[]; readonly config: string };
  readonly reportSummary?: Entry;
}

/** At least what Fluid gives every command. */
const LEAST_SECONDS = 20;
/** Sources that Kubernetes or Sluice mount, not the engine. */
const NATIVE = /^(pvc|local|dataset):\/\//;

/**
 * @param config runtime.json
 * @throws InvalidSpec when a command is empty
 */
export function entriesOf({ master, worker }: Parts, config: string, { mounts = [] }: DatasetSpec): Entries {
  const part = master ?? worker;
  if (!part) return {};
  const role = master ? 'master' : 'worker';
  const container = part.base.template?.spec?.containers[0]?.name ?? '';
  const entry = (of: ClassComponent, name: 'mountUFS' | 'reportSummary'): Entry | undefined => {
    const { command, timeout = 0 } = of.executionEntries?.[name] ?? {};
    if (!command) return undefined;
    must(command[0], `topology.${role}.executionEntries.${name}.command`, 'a program', command);
    return { in: role, container, argv: command, timeoutSeconds: Math.max(timeout, LEAST_SECONDS) };
  };
  // As in Fluid, workers alone mount nothing: each would have to.
  const mountUFS = master && entry(master.base, 'mountUFS');
  const reportSummary = entry(part.base, 'reportSummary');
  const paths = () => pathsOf(mounts).filter((_, i) => !NATIVE.test(mounts[i]?.mountPoint ?? ''));
  return { ...(mountUFS && { mountUFS: { entry: mountUFS, paths: paths(), config } }), ...(reportSummary && { reportSummary }) };
}
