/**
 * A plugin for `validations:` of cdk8s.yaml: `cdk8s synth` fails where `sluice synth` does. It is `main` of the package, where the command
 * line of cdk8s looks for plugins. The check runs in a process of its own, since the one of cdk8s may have any version of any library.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { oneLine } from '../../api/errors.ts';
import type { InputFault } from '../input/documents.ts';

/** `properties:` of the plugin in cdk8s.yaml. Each is an option of `sluice synth`. */
interface Properties {
  /** Files with objects outside of the app, relative to the folder of cdk8s.yaml. */
  readonly facts?: readonly string[];
  /** Namespace of objects that have none. */
  readonly namespace?: string;
  /** A sluice.config file, for runtimes of other packages. */
  readonly config?: string;
  /** Whether Secrets count as present; by default they do, since an app rarely has them. */
  readonly assumeSecrets?: boolean;
}

/** The part of cdk8s-cli's `ValidationContext` that the check uses; cdk8s-cli exports no types. */
interface Context {
  readonly manifests: readonly string[];
  readonly report: {
    addViolation(violation: Violation): void;
    submit(status: 'success' | 'failure', metadata?: Readonly<Record<string, string>>): void;
  };
  readonly logger: { log(message: string): void };
}
interface Violation {
  readonly ruleName: string;
  readonly recommendation: string;
  readonly fix: string;
  readonly violatingResources: readonly {
    readonly resourceName: string;
    readonly locations: readonly string[];
    readonly manifestPath: string;
  }[];
}

/** `class:` of the plugin in cdk8s.yaml. */
export class SluiceValidation {
  readonly #options: readonly string[];

  constructor(properties: Properties = {}) {
    this.#options = optionsOf(properties);
  }

  async validate({ manifests, report, logger }: Context): Promise<void> {
    // A chart without objects is an empty file, which synth takes for a broken pipe.
    const files = manifests.filter((file) => readFileSync(file, 'utf8').trim() !== '');
    if (files.length === 0) return report.submit('success');
    const { code, stderr } = await synth([...this.#options, '--', ...files]);
    if (code === 0) {
      if (stderr.trim() !== '') logger.log(stderr.trimEnd());
      return report.submit('success');
    }
    const faults = faultsIn(stderr);
    if (faults === undefined) throw new Error(stderr.trim() || `sluice synth ended with code ${code}`);
    for (const fault of faults) report.addViolation(violation(shownFault(fault)));
    report.submit('failure', { faults: String(faults.length) });
  }
}

function optionsOf(properties: Properties): readonly string[] {
  const known = ['facts', 'namespace', 'config', 'assumeSecrets'];
  const unknown = Object.keys(properties).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`properties of SluiceValidation: expected ${known.join(', ')}, found ${unknown.join(', ')}`);
  const { facts = [], namespace, config, assumeSecrets = true } = properties;
  return [
    '--output=json',
    ...facts.map((file) => `--facts=${file}`),
    ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
    ...(config === undefined ? [] : [`--config=${config}`]),
    ...(assumeSecrets ? ['--assume-secrets'] : []),
  ];
}

/** The program of the package that this file is part of. */
const PROGRAM = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : './sluice.js', import.meta.url));

function synth(args: readonly string[]): Promise<{ readonly code: number; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [PROGRAM, 'synth', ...args], { maxBuffer: 1 << 30 }, (error, _, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve({ code: Number(error?.code ?? 0), stderr });
    });
  });
}

/** Undefined if synth failed for another reason than its input. */
function faultsIn(stderr: string): readonly InputFault[] | undefined {
  try {
    return (JSON.parse(stderr) as { readonly errors: readonly InputFault[] }).errors;
  } catch {
    return undefined;
  }
}

/** The command line of cdk8s prints texts as they are. */
const shownFault = (fault: InputFault): InputFault => ({
  ...fault,
  ...Object.fromEntries(Object.entries(fault).map(([key, value]) => [key, typeof value === 'string' ? oneLine(value) : value])),
});

/** cdk8s finds the construct by the name of its object. */
const violation = ({ file, line, object = '', path, expected, found }: InputFault): Violation => ({
  ruleName: `${object ? `${object}: ` : ''}${path || 'input'}`,
  recommendation: `expected ${expected}, found ${found}`,
  fix: `change ${path || 'the manifest'} as expected`,
  violatingResources: [
    { resourceName: object.replace(/^.*[ /]/, ''), locations: [`${path || 'manifest'} (line ${line})`], manifestPath: file },
  ],
});
