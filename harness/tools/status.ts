import type { Progress } from './jobs.ts';

const OFTEN_MS = 30_000;

/** One line that is rewritten on a terminal; in a log, a line every half minute. */
export function statusOn(stream: NodeJS.WriteStream): Progress {
  const clear = stream.isTTY ? '\r\x1b[K' : '';
  let last = performance.now();
  return {
    line: (text) => void stream.write(`${clear}${text}\n`),
    status: (text) => {
      if (stream.isTTY) stream.write(`${clear}${text.slice(0, stream.columns - 1)}`);
      else if (performance.now() - last > OFTEN_MS) {
        last = performance.now();
        stream.write(`${text}\n`);
      }
    },
  };
}
