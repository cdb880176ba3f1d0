/** A page with a shell on a cluster, followed word for word: its files in an empty folder, its commands in that shell. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { between, blocks, PLAYGROUND, root, transcripts } from './pages.ts';

/** The command that opens the shell of the playground's page. */
export const [opening = ''] = blocks.flatMap(({ page, language, text }) => (page === PLAYGROUND && language === 'sh' ? text : []));
/** A command that a reader types again when the answer is not the page's yet. */
const ASKS = /^kubectl (get|describe) |^npm run -s sluice -- explain /;
/** Differences that `sluice diff` found, or what `sluice explain` says to do: both exit with 1. */
const FOUND = /would be changed|to do:/;

/** How a shell is opened in which kubectl reaches a cluster. */
export interface Opening {
  /** Types the command that opens it, or that of another shell. */
  readonly command: string;
  /** The folders of kubectl and of other programs of the page. */
  readonly folders: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Typing {
  /** Kubeconfig of the shell. */
  kubeconfig(): string;
  /** The exit code of the shell, which ends. */
  ended(): Promise<unknown>;
}

/** Tests of all commands of a page, by default the playground's; for a `describe`. */
export function followPage(open: () => Promise<Opening>, name: string = PLAYGROUND): Typing {
  const page = blocks.filter((block) => block.page === name);
  const commands = page.flatMap(({ language, text }) => (language === 'console' ? transcripts(text) : []));
  const folder = mkdtempSync(join(tmpdir(), 'sluice-page-'));
  let shell: ChildProcessWithoutNullStreams;
  let kubeconfig = '';
  beforeAll(async () => {
    for (const { file, text } of page) if (file) writeFileSync(join(folder, file), text);
    // In place of the clone, whose script of that name runs the same.
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { sluice: `node ${join(root, 'src/cli/main.ts')}` } }));
    const { command, folders, env } = await open();
    const path = [dirname(process.execPath), ...folders, process.env['PATH']].join(delimiter);
    shell = spawn('sh', ['-c', command], { cwd: folder, env: { ...process.env, ...env, PATH: path, HOME: folder } });
    kubeconfig = (await typed('echo "$KUBECONFIG"')).output.trim();
  });
  afterAll(() => {
    shell?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  // One after the other, in one shell: none can be tried again alone.
  test.each(commands)('$ $command', async ({ command, answer }) => {
    const attempt = async () => {
      const { code, output } = await typed(command);
      expect({ code, missing: between(output, answer) }, output).toEqual({ code: FOUND.test(answer) ? 1 : 0, missing: undefined });
    };
    await (ASKS.test(command) ? vi.waitFor(attempt, { timeout: 60_000, interval: 200 }) : attempt());
  });

  function typed(command: string): Promise<{ readonly code: number; readonly output: string }> {
    return new Promise((resolve, reject) => {
      let said = '';
      const hear = (text: Buffer) => {
        said += text.toString();
        const [, output = '', code] = /^(.*)::ended (\d+)\n$/s.exec(said) ?? [];
        if (code === undefined) return;
        shell.stdout.off('data', hear);
        shell.off('close', fail);
        resolve({ code: Number(code), output });
      };
      const fail = () => reject(new Error(`the shell ended: ${said}`));
      shell.stdout.on('data', hear);
      shell.once('close', fail);
      shell.stdin.write(`{ ${command}\n} < /dev/null 2>&1; echo "::ended $?"\n`);
    });
  }

  return {
    kubeconfig: () => kubeconfig,
    ended() {
      const ended = new Promise((resolve) => shell.once('close', resolve));
      shell.stdin.end();
      return ended;
    },
  };
}
