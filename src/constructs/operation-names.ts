import type { Operation, OperationKind } from './contract.ts';

/** Names and labels that depend on the kind. Charts and dashboards of Fluid's users look for them. */
interface OperationNames {
  /** The Helm release that Fluid would install. */
  readonly release: string;
  readonly job: string;
  readonly pod: string;
  readonly chart: string;
  readonly scripts: string;
  readonly volume: string;
  /** Where the first container has the scripts. */
  readonly directory: string;
  /** The StatefulSet of its helping pods, and their Service. */
  readonly workers: string;
  /** The Secret with SSH keys that were made for it. */
  readonly sshKeys: string;
  /** Default: the runtime's. */
  readonly app?: string;
}
const NAMES: Readonly<Record<OperationKind, (name: string) => Omit<OperationNames, 'workers' | 'sshKeys'>>> = {
  DataLoad: (name) => ({
    release: `${name}-loader`,
    job: `${name}-loader-job`,
    pod: `${name}-loader-loader`,
    chart: 'fluid-dataloader',
    scripts: `${name}-loader-data-load-script`,
    volume: 'data-load-script',
    directory: '/scripts',
  }),
  DataMigrate: (name) => ({
    release: `${name}-migrate`,
    job: `${name}-migrate-migrate`,
    pod: `${name}-migrate-migrate`,
    chart: 'fluid-datamigrate',
    scripts: `${name}-migrate-script`,
    volume: 'data-migrate-script',
    directory: '/scripts',
  }),
  DataProcess: (name) => ({
    release: `${name}-processor`,
    job: `${name}-processor-job`,
    pod: `${name}-processor-process`,
    chart: 'fluid-dataprocess',
    scripts: `${name}-processor-scripts`,
    volume: 'script-cm-vol',
    directory: '/fluid-scripts',
    app: 'fluid-dataprocess',
  }),
  DataBackup: (name) => ({
    release: `${name}-charts`,
    // Fluid runs a pod without a Job.
    job: `${name}-pod`,
    pod: `${name}-pod`,
    chart: 'fluid-databackup',
    scripts: `${name}-script`,
    volume: 'script',
    directory: '/scripts',
  }),
};

export function operationNames({ kind, name }: Pick<Operation, 'kind' | 'name'>): OperationNames {
  const names = NAMES[kind](name);
  return { ...names, workers: `${names.release}-workers`, sshKeys: `${names.release}-ssh-keys` };
}
