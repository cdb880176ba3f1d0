import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A command of this program as a process of its own. */
export interface Child {
  readonly pid: number;
  /** The first line of its log with this message, as an object. Rejects when it ends before. */
  logged(message: string): Promise<Readonly<Record<string, unknown>>>;
  /** Rejects when it ends without being told to. */
  readonly failed: Promise<never>;
  /** At once: what it would hand over, such as its Lease, ends with the playground. A webhook serves on for 5 s after a SIGTERM. */
  stop(): Promise<void>;
}

/** How many lines of its log are shown when it ends by itself. */
const LAST_LINES = 8;

/**
 * @param args the command and its flags
 * @param log file for what it writes
 */
export function startChild(args: readonly string[], env: NodeJS.ProcessEnv, log: string): Child {
  const [program = ''] = process.argv.slice(1);
  // Of a process group of its own: Ctrl-C is for us, who then stop it in its turn.
  const child = spawn(process.execPath, [program, ...args], { detached: true, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = createWriteStream(log);
  const lines: string[] = [];
  const waiting = new Set<(line: Readonly<Record<string, unknown>>) => void>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      written.write(`${line}\n`);
      lines.push(line);
      if (lines.length > LAST_LINES) lines.shift();
      const parsed = parsedLine(line);
      for (const each of waiting) each(parsed);
    });
  let isStopping = false;
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve).once('error', () => resolve(null)));
  const failed = ended.then((code) => {
    if (isStopping) return new Promise<never>(() => {});
    throw new Error(`sluice ${args[0]} ended with code ${code}:\n${lines.join('\n')}`);
  });
  failed.catch(() => {});
  // Whatever way we end, it must not stay.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    pid: child.pid ?? 0,
    failed,
    logged: (message) =>
      Promise.race([
        failed,
        new Promise<Readonly<Record<string, unknown>>>((resolve) => {
          const each = (line: Readonly<Record<string, unknown>>) => {
            if (line['msg'] !== message) return;
            waiting.delete(each);
            resolve(line);
          };
          waiting.add(each);
        }),
      ]),
    async stop() {
      isStopping = true;
      kill();
      await ended;
      process.off('exit', kill);
    },
  };
}

function parsedLine(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
