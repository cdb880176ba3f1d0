/** FUSE clients of a real node, as the machine sees them. */
import { readdirSync, readFileSync } from 'node:fs';

/** The processes of a program that mounts at this path. */
export const clientsAt = (program: string, path: string): readonly { readonly pid: number; readonly argv: readonly string[] }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), argv: argvOf(pid) }))
    .filter(({ argv }) => argv[0]?.split('/').at(-1) === program && argv.some((argument) => argument.endsWith(path)));

function argvOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    // The process has ended.
    return [];
  }
}

/** Ends the only one, as a crash would. */
export function killClient(program: string, path: string): void {
  const [client, ...others] = clientsAt(program, path);
  if (client === undefined || others.length > 0)
    throw new Error(`expected one ${program} at ${path}, found ${others.length + (client ? 1 : 0)}`);
  process.kill(client.pid, 'SIGKILL');
}

/** The machine's mounts, a line each. */
export const mountTable = (): string => readFileSync('/proc/self/mountinfo', 'utf8');
