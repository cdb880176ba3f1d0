import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Ended, root } from './run.ts';

interface Plugin {
  readonly spec: { readonly generate: { readonly command: readonly string[]; readonly args: readonly string[] } };
}
const plugin = parse(readFileSync(join(root, 'examples/gitops/plugin.yaml'), 'utf8')) as Plugin;

/** The plugin of examples/gitops as Argo CD's plugin server runs it: in the folder of the Application, with its variables. */
export function generate(cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { command, args } = plugin.spec.generate;
  const [program = '', ...first] = command;
  const theirs = { PATH: process.env['PATH'] ?? '', ARGOCD_APP_NAME: 'caches', ARGOCD_APP_NAMESPACE: 'ml', ...env };
  return new Promise((resolve) => {
    const options = { cwd, env: { ...theirs, SLUICE: join(root, 'src/cli/main.ts') } };
    execFile(program, [...first, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}
