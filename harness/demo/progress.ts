import { styleText } from 'node:util';

/** Prints the steps of the demo on standard output, a line each: on a terminal redrawn while a step runs, elsewhere once it has ended. */
export interface Progress {
  /** Runs a step; `say` replaces its line while it runs. The text that it returns ends the line, with the time unless `timed` is false. */
  step(title: string, work: (say: (detail: string) => void) => Promise<string>, options?: { readonly timed?: boolean }): Promise<void>;
  line(text?: string): void;
  heading(text: string): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const TITLE_WIDTH = 18;
/** Back to the beginning of the line, and nothing in it. */
const ERASE = '\r\x1b[K';

export function progressOn(stream: NodeJS.WriteStream, interrupt: AbortSignal): Progress {
  const style = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { stream });
  const line = (text = '') => void stream.write(`${text}\n`);
  const shape = (mark: string, title: string, detail: string, time: string) =>
    [mark, title.padEnd(TITLE_WIDTH), detail, time && style('dim', time)].filter(Boolean).join(' ').trimEnd();

  return {
    line,
    heading: (text) => line(`\n${style('bold', text)}`),
    async step(title, work, { timed = true } = {}) {
      const began = performance.now();
      let detail = '';
      let frame = 0;
      const lineOf = (mark: string, text: string) => shape(mark, title, text, secondsText(performance.now() - began));
      const draw = () =>
        stream.write(`${ERASE}${cut(lineOf(style('cyan', FRAMES[frame++ % FRAMES.length] ?? ''), detail), stream.columns || 80)}`);
      const timer = stream.isTTY ? setInterval(draw, 80) : undefined;
      const end = (text: string): void => {
        clearInterval(timer);
        if (stream.isTTY) stream.write(ERASE);
        if (text) line(text);
      };
      try {
        const result = await work((text) => (detail = text));
        end(shape(style('green', '✓'), title, result, timed ? secondsText(performance.now() - began) : ''));
      } catch (error) {
        // An interrupted step has not failed.
        end(interrupt.aborted ? '' : lineOf(style('red', '✗'), detail));
        throw error;
      }
    },
  };
}

/** A terminal's line must not wrap: it could not be redrawn. Colours take no room. */
function cut(text: string, columns: number): string {
  let room = columns - 1;
  // oxlint-disable-next-line no-control-regex
  return text.replace(/\x1b\[[0-9;]*m|[^\x1b]/gu, (part) => (part.length > 1 && part.startsWith('\x1b') ? part : room-- > 0 ? part : ''));
}

export const secondsText = (ms: number): string => `${(ms / 1000).toFixed(ms < 9950 ? 2 : 1)} s`;
