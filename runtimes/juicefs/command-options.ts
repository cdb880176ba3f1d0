import { literal, must, type Options } from '../../src/constructs/index.ts';

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
  must(DURATION.test(timeout), 'spec.options.timeout', 'a time such as 30m or 1.5h', timeout);
  // juicefs looks for a name behind all dashes, and up to an equals sign.
  const taken = Object.keys(options).find((name) => reserved.includes(name.replace(/^-+/, '').replace(/=.*$/s, '')));
  must(taken === undefined, 'spec.options', expected, taken);
  return {
    timeout,
    options: Object.entries(options).map(([name, value]) => literal(value === '' ? `--${name}` : `--${name}=${value}`)),
  };
}
