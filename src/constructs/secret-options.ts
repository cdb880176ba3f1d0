import { type DatasetSpec, type EncryptOption, type EnvVar, type Fault, InvalidSpec, shown } from '../api/index.ts';
import { isEnvName } from '../api/shell.ts';
import type { SecretNeed } from './contract.ts';

/** An option whose value is in a Secret. */
export interface SecretOption {
  /** Name of the option: `secret-key`. */
  readonly option: string;
  /** Name of the Secret, in the namespace of the Dataset. */
  readonly secret: string;
  /** Key in the Secret. */
  readonly key: string;
}

/**
 * The options of a list `encryptOptions`. `path` names the list in errors.
 * @throws InvalidSpec with every option that has no Secret or no key.
 * @example
 * const list = [{ name: 'secret-key', valueFrom: { secretKeyRef: { name: 'minio', key: 'password' } } }];
 * secretOptions(list, 'spec.sharedEncryptOptions'); // → [{ option: 'secret-key', secret: 'minio', key: 'password' }]
 */
export function secretOptions(list: readonly EncryptOption[] | undefined, path: string): readonly SecretOption[] {
  const faults: Fault[] = [];
  const options = (list ?? []).flatMap(({ name, valueFrom }, i) => {
    const { name: secret, key } = valueFrom?.secretKeyRef ?? {};
    if (secret && key) return [{ option: name, secret, key }];
    faults.push({ path: `${path}[${i}].valueFrom.secretKeyRef`, expected: 'name and key of a Secret', found: shown(valueFrom) });
    return [];
  });
  if (faults.length > 0) throw new InvalidSpec(faults);
  return options;
}

/**
 * Names of the Secrets that hold options of a Dataset, each once. It never throws, so `needs` can call it before the plan checks anything.
 * @example
 * optionSecrets({ sharedEncryptOptions: [{ name: 'token', valueFrom: { secretKeyRef: { name: 'acme', key: 'token' } } }] }); // → ['acme']
 */
export const optionSecrets = ({ mounts = [], sharedEncryptOptions = [] }: DatasetSpec): readonly string[] => {
  const options = [...sharedEncryptOptions, ...mounts.flatMap((mount) => mount.encryptOptions ?? [])];
  return [...new Set(options.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name || []))];
};

/**
 * The same Secrets for `needs.secrets`, with the keys that options name.
 * @example
 * const needs = ({ dataset }: PlanInput<object>): Needs => ({ secrets: optionNeeds(dataset.spec) });
 */
export function optionNeeds({ mounts = [], sharedEncryptOptions = [] }: DatasetSpec): readonly SecretNeed[] {
  const keys = new Map<string, Set<string>>();
  for (const { valueFrom } of [...sharedEncryptOptions, ...mounts.flatMap((mount) => mount.encryptOptions ?? [])]) {
    const { name, key } = valueFrom?.secretKeyRef ?? {};
    if (name) keys.set(name, (keys.get(name) ?? new Set()).add(key ?? ''));
  }
  return [...keys].map(([name, named]) => ({ name, keys: [...named].filter((key) => key !== '') }));
}

/** A secret option whose value a container has in an environment variable. */
export interface SecretVariable extends SecretOption {
  /** Name of the variable. */
  readonly variable: string;
}

/**
 * The secret options of a Dataset with one mount, by name; the mount's win over those of all mounts. Options in `known` come first, with
 * the variables it says; others have a variable of their own name, with `_` for `-`.
 * @throws InvalidSpec when an option has no Secret, its name fits no variable, or two options have the same variable.
 * @example
 * const dataset = { sharedEncryptOptions: [{ name: 'secret-key', valueFrom: { secretKeyRef: { name: 'minio', key: 'password' } } }] };
 * secretVariables(dataset, new Map()).get('secret-key')?.variable; // → 'secret_key'
 */
export function secretVariables(
  { mounts: [mount] = [], sharedEncryptOptions }: DatasetSpec,
  known: ReadonlyMap<string, string>,
): ReadonlyMap<string, SecretVariable> {
  const named = (list: readonly EncryptOption[] | undefined, path: string) =>
    secretOptions(list, path).map((secret, i): [string, SecretVariable] => {
      const { option } = secret;
      const variable = known.get(option) ?? option.replaceAll('-', '_');
      if (isEnvName(variable)) return [option, { ...secret, variable }];
      const expected = 'a name that an environment variable can have: letters, digits, "-" and "_", no digit in front';
      throw new InvalidSpec({ path: `${path}[${i}].name`, expected, found: shown(option) });
    });
  const options = new Map([
    ...named(sharedEncryptOptions, 'spec.sharedEncryptOptions'),
    ...named(mount?.encryptOptions, 'spec.mounts[0].encryptOptions'),
  ]);
  // Two options of one variable would get each other's value.
  const variables = new Map([...options.values()].map(({ variable, option }) => [variable, option]));
  const twin = [...options.values()].find(({ variable, option }) => variables.get(variable) !== option);
  if (twin) {
    const expected = 'options whose names differ in more than "-" and "_"';
    throw new InvalidSpec({ path: 'spec.mounts[0].encryptOptions', expected, found: `${twin.option} and ${variables.get(twin.variable)}` });
  }
  return new Map(
    [...known.keys(), ...options.keys()].flatMap((option) =>
      options.has(option) ? [[option, options.get(option) as SecretVariable]] : [],
    ),
  );
}

/**
 * The variables for the `env` of a container. Kubernetes reads the Secrets; no manifest has a value.
 * @example
 * secretEnv([{ option: 'token', secret: 'acme', key: 'token', variable: 'TOKEN' }])[0]?.name; // → 'TOKEN'
 */
export const secretEnv = (secrets: Iterable<SecretVariable>): readonly EnvVar[] =>
  [...secrets].map(({ variable, secret, key }) => ({ name: variable, valueFrom: { secretKeyRef: { name: secret, key } } }));
