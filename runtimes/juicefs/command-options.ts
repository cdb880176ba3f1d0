import { InvalidSpec, shown } from '../../src/api/index.ts';
import { literal, type Options } from '../../src/constructs/index.ts';

/** As `timeout` of the GNU coreutils takes it. */
const DURATION = /^\d+(\.\d+)?[smhd]?$/;

/**
 * `spec.options` of an operation as arguments of a command of juicefs, and how long it may take, which is one of them in Fluid.
 * @param options `spec.options`, by name; `timeout` has Fluid's default
 * @param reserved names that users may not set, without dashes
 * @param expected what a user should write instead of a reserved name, for the message
 * @throws InvalidSpec when one is reserved, or the timeout is no time.
 */
export function commandOptions({ timeout = '30m', ...options }: Options = {}, reserved: readonly string[], expected: string) {
  // juicefs looks for a name behind all dashes, and up to an equals sign.
  const taken = Object.keys(options).filter((name) => reserved.includes(name.replace(/^-+/, '').replace(/=.*$/s, '')));
  const faults = taken.map((name) => ({ path: 'spec.options', expected, found: shown(name) }));
  if (!DURATION.test(timeout))
    faults.unshift({ path: 'spec.options.timeout', expected: 'a time such as 30m or 1.5h', found: shown(timeout) });
  if (faults.length > 0) throw new InvalidSpec(faults);
  return {
    timeout,
    options: Object.entries(options).map(([name, value]) => literal(value === '' ? `--${name}` : `--${name}=${value}`)),
  };
}
