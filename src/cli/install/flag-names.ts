/** The flags of `sluice install` as Commander parses them. */
export interface Flags {
  readonly values?: string;
  readonly namespace?: string;
  readonly registry?: string;
  readonly image?: string;
  readonly imagePullSecret?: readonly string[];
  readonly replicas?: string;
  readonly openReferences?: boolean;
  readonly toleration?: readonly string[];
  readonly kubeletDir?: string;
  readonly podLogsDir?: string;
  readonly mountRoot?: string;
  readonly daemon?: readonly string[];
  /** Commander's, for --no-node-policy. */
  readonly nodePolicy: boolean;
  readonly reservedKeys?: string;
  readonly reservedKeysAllow?: readonly string[];
  /** Commander's, for --no-webhook. */
  readonly webhook: boolean;
  readonly validation?: boolean;
  readonly monitoring?: boolean;
  readonly config?: string;
}

/** Options whose flag has another name. */
const FLAGS: Readonly<Record<string, keyof Flags>> = {
  daemons: 'daemon',
  imagePullSecrets: 'imagePullSecret',
  'controller.replicas': 'replicas',
};

/** A fault begins with its option: the user wrote that as a flag, or in the file. */
export function named(fault: string, flags: Flags): string {
  const [option = ''] = /^(controller\.replicas|\w+)/.exec(fault) ?? [];
  // The cast: most options have the name of their flag.
  const flag = FLAGS[option] ?? (option as keyof Flags);
  if (flags[flag] === undefined || typeof flags[flag] === 'boolean')
    return flags.values === undefined ? fault : `${flags.values}: ${fault}`;
  return `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}${fault.slice(option.length)}`;
}
