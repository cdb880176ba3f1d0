import { type DatasetSpec, type EncryptOption, type EnvVar, InvalidSpec, shown } from '../api/index.ts';
import { isEnvName } from '../api/shell.ts';
import type { SecretNeed } from './contract.ts';

/** An option whose value is a key of a Secret. */
export interface SecretOption {
  readonly option: string;
  readonly secret: string;
  readonly key: string;
}

/** The options of a list `encryptOptions`; `path` names it in errors. */
export const secretOptions = (list: readonly EncryptOption[] | undefined, path: string): readonly SecretOption[] =>
  (list ?? []).map(({ name, valueFrom }, i) => {
    const { name: secret, key } = valueFrom?.secretKeyRef ?? {};
    if (secret && key) return { option: name, secret, key };
    throw new InvalidSpec({ path: `${path}[${i}].valueFrom.secretKeyRef`, expected: 'name and key of a Secret', found: shown(valueFrom) });
  });

/** The Secrets that hold options of a dataset; never throws, so that `needs` can ask for them before anything was checked. */
export const optionSecrets = ({ mounts = [], sharedEncryptOptions = [] }: DatasetSpec): readonly string[] => {
  const options = [...sharedEncryptOptions, ...mounts.flatMap((mount) => mount.encryptOptions ?? [])];
  return [...new Set(options.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name || []))];
};

/** The same as needs, with the keys that options name. */
export function optionNeeds({ mounts = [], sharedEncryptOptions = [] }: DatasetSpec): readonly SecretNeed[] {
  const keys = new Map<string, Set<string>>();
  for (const { valueFrom } of [...sharedEncryptOptions, ...mounts.flatMap((mount) => mount.encryptOptions ?? [])]) {
    const { name, key } = valueFrom?.secretKeyRef ?? {};
    if (name) keys.set(name, (keys.get(name) ?? new Set()).add(key ?? ''));
  }
  return [...keys].map(([name, named]) => ({ name, keys: [...named].filter((key) => key !== '') }));
}

/** A secret option whose value a script takes from the environment. */
export interface SecretVariable extends SecretOption {
  readonly variable: string;
}

/**
 * The secret options of a dataset with one mount, by name; the mount's own win over those of all mounts.
 * `known` ones come first and have the variable it says, others their own name with `_` for `-`.
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
  // They would get each other's value.
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

export const secretEnv = (secrets: Iterable<SecretVariable>): readonly EnvVar[] =>
  [...secrets].map(({ variable, secret, key }) => ({ name: variable, valueFrom: { secretKeyRef: { name: secret, key } } }));
