import { InvalidSpec, keyPath, nearest, shown } from '../../src/api/index.ts';
import { literal, type Options, type Warning } from '../../src/constructs/index.ts';
import { isOptionOf, TABLE, VERSIONS } from './options.ts';

/** As `timeout` of the GNU coreutils takes it. */
const DURATION = /^\d+(\.\d+)?[smhd]?$/;

/** juicefs looks for a name behind all dashes, and up to an equals sign. */
const bare = (name: string): string => name.replace(/^-+/, '').replace(/=.*$/s, '');

/** Says which of `spec.options` a command of the community edition is not known to have. */
export const unknownOptions = (command: 'warmup' | 'sync', options: Options = {}): readonly Warning[] =>
  Object.keys(options)
    .filter((name) => name !== 'timeout' && !isOptionOf(command, bare(name)))
    .map((name, i) => {
      // A comparison with all names costs far more than the rest.
      const near = i < 20 ? nearest(bare(name), TABLE[command]) : undefined;
      const meant = near === undefined ? '' : ` (did you mean ${near}?)`;
      const message = `${keyPath('spec.options', name)}: expected an option of juicefs ${command} ${VERSIONS}${meant}, found ${shown(name)}; juicefs fails with one that it does not know`;
      return { reason: 'SpecAmbiguous', message };
    });

/**
 * `spec.options` of an operation as arguments of a command of juicefs, and how long it may take, which is one of them in Fluid.
 * @param options `spec.options`, by name; `timeout` has Fluid's default
 * @param reserved names that users may not set, without dashes
 * @param expected what a user should write instead of a reserved name, for the message
 * @throws InvalidSpec when one is reserved or has no name, or the timeout is no time.
 */
export function commandOptions({ timeout = '30m', ...options }: Options = {}, reserved: readonly string[], expected: string) {
  const faults = Object.entries(options).flatMap(([name, value]) => {
    const path = keyPath('spec.options', name);
    if (reserved.includes(bare(name))) return [{ path, expected, found: shown(value) }];
    return bare(name) === '' ? [{ path, expected: 'the name of an option', found: shown(name) }] : [];
  });
  if (!DURATION.test(timeout))
    faults.unshift({ path: 'spec.options.timeout', expected: 'a time such as 30m or 1.5h', found: shown(timeout) });
  if (faults.length > 0) throw new InvalidSpec(faults);
  return {
    timeout,
    options: Object.entries(options).map(([name, value]) => literal(value === '' ? `--${name}` : `--${name}=${value}`)),
  };
}
