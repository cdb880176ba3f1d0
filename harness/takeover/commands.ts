/** The commands of Sluice that are tried, as processes: those that a user gives. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');

export interface Outcome {
  readonly code: number | 'killed';
  readonly seconds: number;
  readonly output: string;
}

export interface CommandOptions {
  readonly kubeconfig: string;
  /** File to which the output is added. */
  readonly log: string;
  /** SIGKILL once the output is so. */
  readonly killWhen?: (output: string) => boolean;
}

/** `sluice takeover` with these arguments. */
export function takeover(args: readonly string[], { kubeconfig, log, killWhen = () => false }: CommandOptions): Promise<Outcome> {
  const began = performance.now();
  const argv = ['--pdeathsig', 'KILL', '--', process.execPath, MAIN, 'takeover', ...args, '--kubeconfig', kubeconfig];
  const child = spawn('setpriv', argv, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } });
  const written = createWriteStream(log, { flags: 'a' });
  written.write(`$ sluice takeover ${args.join(' ')}\n`);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (killWhen(output)) child.kill('SIGKILL');
      written.write(text);
    });
  return new Promise((resolve) =>
    child.once('close', (code) => {
      const seconds = (performance.now() - began) / 1000;
      written.end(`--- ${code ?? 'killed'} after ${seconds.toFixed(1)} s\n`);
      resolve({ code: code ?? 'killed', seconds, output });
    }),
  );
}
