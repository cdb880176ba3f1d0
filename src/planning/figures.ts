/** Figures of statuses, which are texts for people. Undefined for any text that is no figure, such as `[Calculating]`. */

const LETTERS = 'KMGTPE';
/** Bytes of `1.50GiB`, as the controller writes them, or of `1.5GB`, as a program of a CacheRuntimeClass may. */
export function bytesOf(text: string | undefined): number | undefined {
  const [, amount, letter = '', binary] = /^(\d{1,16}(?:\.\d{1,9})?) ?(?:([KMGTPE])(i)?)?B?$/.exec(text ?? '') ?? [];
  if (amount === undefined) return undefined;
  return Math.round(Number(amount) * (binary ? 1024 : 1000) ** (LETTERS.indexOf(letter || ' ') + 1));
}

/** The share of `90.1%`: 0.901. */
export function ratioOf(text: string | undefined): number | undefined {
  const [, percent] = /^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(text ?? '') ?? [];
  if (percent === undefined || Number(percent) > 100) return undefined;
  return Math.round(Number(percent) * 100) / 10_000;
}

/** The number of `1234`. */
export const countOf = (text: string | undefined): number | undefined => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined);

/** The share of `45%`, of `3 of 12 files`, or of `step 2 of 3`, of which one step is done. */
export function progressOf(text: string | undefined): number | undefined {
  const share = ratioOf(text);
  if (share !== undefined) return share;
  const [, step, done, all] = /^(step )?(\d{1,15}) of (\d{1,15})(?: .*)?$/.exec(text ?? '') ?? [];
  const [part, whole] = [Number(done) - (step ? 1 : 0), Number(all)];
  return whole > 0 && part >= 0 && part <= whole ? part / whole : undefined;
}

/** Seconds since 1970 of a time in RFC 3339. */
export function secondsOf(time: string | undefined): number | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : ms / 1000;
}
