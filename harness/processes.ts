/** Processes of this machine that are known by what they wrote down. */
import { readFileSync } from 'node:fs';

/** The pid in a file; undefined when there is no file, or none in it. */
export const readPid = (file: string): number | undefined => Number.parseInt(textOf(file), 10) || undefined;

/**
 * The process's command line, with zero bytes between the words; empty when it is gone. Identifies a process whose pid may have been
 * reused.
 */
export const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`);

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
