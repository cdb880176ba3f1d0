/** The scripts of a DataMigrate, as bash runs them with what the kubelet passes, and a stub for juicefs. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { DataMigrateSpec, DatasetSpec, Manifest } from '../../../src/api/index.ts';
import type { Folder } from '../../support/container-folder.ts';
import { migrating } from '../../support/operations.ts';

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly key: string } };
}
interface Container {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly Variable[];
}

export interface Running {
  /** Values of keys in Secrets. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly datasets?: Readonly<Record<string, DatasetSpec>>;
  /** The stub of juicefs, in bash; `$all` are its arguments. */
  readonly answers?: string;
  /** The output of `juicefs sync --help`. */
  readonly help?: string;
  readonly podIp?: string;
  /** In the place of `ssh.sh`. */
  readonly ssh?: string;
}

/** Printed line by line, as juicefs does, so that a reader that stops early ends it by a signal. */
const LONG_HELP = `echo --end-time; for ((i = 0; i < 100; i++)); do printf '%01000d\\n' "$i" || exit 1; done`;

/** Runs the script of the Job's pod. */
export async function run(folder: Folder, spec: DataMigrateSpec, given: Running = {}) {
  const { secrets = {}, datasets = {}, answers = SAYS(1), help = LONG_HELP, podIp = '10.0.0.9', ssh } = given;
  const manifests = migrating(spec, { datasets });
  const of = (kind: string) => manifests.find((each) => each.kind === kind) as Manifest;
  const [{ args, env }] = (of('Job')['spec'] as { template: { spec: { containers: [Container] } } }).template.spec.containers;
  const valueOf = ({ value, valueFrom }: Variable) => value ?? secrets[valueFrom?.secretKeyRef?.key ?? ''] ?? podIp;
  const plain = Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
  // As the kubelet does it: in a value, variables before it.
  const values = Object.fromEntries(env.map((each) => [each.name, expanded(valueOf(each), each.value === undefined ? undefined : plain)]));
  for (const each of ['calls', 'work']) {
    rmSync(folder.of(each), { recursive: true, force: true });
    mkdirSync(folder.of(each));
  }
  for (const each of ['tmp/progress', 'tmp/progress.found', 'dev/termination-log']) rmSync(folder.of(each), { force: true });
  const stub = `#!/bin/bash
if [ "$*" = 'sync --help' ]; then ${folder.rooted(help)}; exit; fi
n=$(ls "${folder.of('calls')}" | wc -l)
printf '%s\\0' "$@" > "${folder.of('calls')}/$n"
env -0 > "${folder.of('env')}"
all="$*"
${folder.rooted(answers)}
`;
  folder.program('usr/local/bin/juicefs', stub);
  folder.program('usr/bin/juicefs', stub);
  // Progress is written every 5 seconds.
  folder.program('bin/sleep', '#!/bin/sh\nexec /bin/sleep 0.05\n');
  const scripts = { ...(of('ConfigMap')['data'] as Record<string, string>), ...(ssh !== undefined && { 'ssh.sh': ssh }) };
  for (const [name, text] of Object.entries(scripts)) writeFileSync(folder.of(`scripts/${name}`), folder.rooted(text));
  const argv = [folder.of('scripts/migrate.sh'), ...args.map((arg) => expanded(arg, { ...plain, ...values }))];
  const child = spawn('bash', argv, {
    cwd: folder.of('work'),
    env: { ...values, PATH: `${folder.of('bin')}:/usr/bin:/bin` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  // For every value, only the stubs may have run.
  const left = readdirSync(folder.of('work'));
  if (left.length > 0) throw new Error(`the script made ${left.join(', ')}: ${stderr}`);
  const calls = readdirSync(folder.of('calls')).toSorted((a, b) => Number(a) - Number(b));
  return {
    code,
    stdout,
    stderr,
    calls: calls.map((name) => wordsOf(folder.of(`calls/${name}`))),
    /** Environment of the last call. */
    env: existsSync(folder.of('env')) ? wordsOf(folder.of('env')) : [],
    infos: existsSync(folder.of('dev/termination-log')) ? readFileSync(folder.of('dev/termination-log'), 'utf8') : undefined,
  };
}

const wordsOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\0').slice(0, -1);
async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** `$(NAME)` is the variable if there is one, and `$$` is `$`. */
const expanded = (text: string, env: Readonly<Record<string, string>> | undefined): string =>
  env
    ? text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (found, name: string | undefined) => (name === undefined ? '$' : (env[name] ?? found)))
    : text;

/** As juicefs prints it at its end. */
export const SAYS = (found: number, copied = found, bytes = '1.50 KiB') =>
  `echo '2026/11/23 13:49:37.554725 juicefs[7] <INFO>: Found: ${found}, excluded: 0 (0 B), skipped: ${found - copied} (7 B), copied: ${copied} (${bytes}), extra: 0 (0 B), failed: 0 [Sync@sync.go:1677]' >&2`;
