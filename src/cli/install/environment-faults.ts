import type { Runtime } from '../../constructs/contract.ts';
import type { InstallOptions } from '../../install/index.ts';
import { UsageError } from '../errors.ts';
import { controllerConfigOf, settingsOf } from '../settings/config.ts';
import { complete, platformLabelOf } from '../settings/config-values.ts';
import { webhookConfigOf } from '../webhook/config.ts';

type Variables = NonNullable<NonNullable<InstallOptions['webhook']>['env']>;

/**
 * Values of the environment that the programs would reject, but only when their pods start. Each fault begins with the value that has it.
 */
export function environmentFaults({ controller, webhook }: InstallOptions, runtimes: readonly Runtime[]): readonly string[] {
  return [
    ...faultsIn(() => complete((read) => read('webhook.platformLabel', webhook?.platformLabel, platformLabelOf, undefined))),
    ...inPart('controller.env', controller?.env, (env) => controllerConfigOf({}, env, runtimes)),
    ...inPart('webhook.env', webhook?.env, (env) => [webhookConfigOf({}, env), webhook?.validation && settingsOf({}, env, runtimes)]),
  ];
}

function inPart(path: string, variables: Variables = [], parse: (env: Readonly<Record<string, string>>) => unknown): readonly string[] {
  // The webhook and the controller need the label, and the configuration an entry for it.
  const { KEY_SERVERLESS_PLATFORM: label, ...env } = literals(variables);
  return [
    ...(variables.some(({ name }) => name === 'KEY_SERVERLESS_PLATFORM')
      ? [
          `${path}: expected webhook.platformLabel instead of KEY_SERVERLESS_PLATFORM, found ${label === undefined ? 'a reference' : `"${label}"`}`,
        ]
      : []),
    ...faultsIn(() => parse(env)).map((fault) => `${path}: ${fault}`),
  ];
}

/** Values that the kubelet does not put together from others. */
const literals = (variables: Variables): Readonly<Record<string, string>> =>
  Object.fromEntries(variables.flatMap(({ name, value }) => (value === undefined || value.includes('$(') ? [] : [[name, value]])));

function faultsIn(parse: () => unknown): readonly string[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (error instanceof UsageError) return error.message.split('\n');
    throw error;
  }
}
