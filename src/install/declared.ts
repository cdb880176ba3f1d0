import type { Runtime } from '../constructs/index.ts';
import type { Settled } from './settled.ts';

/** The variables of the controller that these runtimes declare, by name. */
export function declaredBy(
  runtimes: readonly Runtime[],
  { controllerEnv }: Pick<Settled, 'controllerEnv'>,
): Readonly<Record<string, string>> {
  const names = new Set(runtimes.flatMap(({ env }) => env));
  return Object.fromEntries([...names].flatMap((name) => (controllerEnv[name] === undefined ? [] : [[name, controllerEnv[name]]])));
}
