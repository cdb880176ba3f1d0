import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Option } from 'commander';
import { describe, InvalidSpec } from '../api/errors.ts';
import {
  argvOf,
  type FuseProgram,
  clientsOf,
  envFile,
  type MountTemplate,
  mountScript,
  parseMountTemplate,
  type Rendered,
  readFuseConfig,
  realigningScript,
  tellNews,
  viewOf,
  whenever,
} from '../fuse/index.ts';
import type { Define } from './command.ts';
import { UsageError } from './errors.ts';
import { createLog } from './log.ts';
import { stopSignal } from './stop-signal.ts';
import { sayExactly } from './terminal.ts';

type Output = 'json' | 'env' | 'script' | 'argv';
interface Flags {
  readonly file?: string;
  readonly template?: string;
  readonly output: Output;
  readonly directory?: string;
  readonly mount?: string;
  readonly showOptions?: boolean;
  readonly watch?: boolean;
}

const EXAMPLES = `
Examples:
  sluice fuse-config                                            the configuration of a fuse container, typed
  sluice fuse-config --template s3fs.yaml -o script > mount.sh  a program in POSIX sh that mounts it
  sluice fuse-config --template s3fs.yaml -o argv | xargs -0 -n 1 echo
  sluice fuse-config --template s3fs.yaml -o script --directory /run/mount
  sluice fuse-config --template s3fs.yaml -o script --directory /run/mount --watch

A template, in YAML or JSON, holds the command line of a FUSE client:
  program: s3fs
  args: ['\${mount.bucket}', '\${mount.target}', -f, -o, 'url=\${mount.options.minio-url}', -o, '\${access}']
  env:
    AWS_ACCESS_KEY_ID: \${secret.minio-access-key}

Secrets are never printed: scripts and env files read them from their files when they run. If config.json
itself holds them (THIN_FUSE_CONFIG_STORAGE=secret), --directory writes them into files there.

With onChange: remount in the template, a script follows the files of its directory, and --watch keeps these up to
date with config.json and the template. Clients whose configuration changed are restarted; the others keep running.

Exit codes:
  0  printed, or written; --watch: stopped by SIGTERM or SIGINT
  2  bad usage, template or config.json: one line a fault on standard error`;

const FILE_NAMES = { json: 'mount.json', env: 'mount.env', script: 'mount.sh', argv: 'mount.argv' } as const;

export const define: Define = (command) => {
  command
    .option('--file <file>', 'config.json (default: /etc/fluid/config/config.json, else /etc/fluid/config.json)')
    .option('--template <file>', 'the client’s command line; needed for every output but json')
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(FILE_NAMES)).default('json'))
    .option('--mount <name>', 'only this mount')
    .option('--directory <directory>', `write into a file of this directory (${Object.values(FILE_NAMES).join(', ')}) instead of printing`)
    .option('--show-options', 'json: show options that no template names too; they may be secrets')
    .option('--watch', 'keep running, and write again when config.json or the template changes (needs onChange: remount)')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      try {
        if (flags.watch) return await keepWriting(flags);
        const { text, files } = await rendered(flags);
        if (flags.directory === undefined) sayExactly(text);
        else await write(flags.directory, { ...files, [join(flags.directory, FILE_NAMES[flags.output])]: text });
      } catch (error) {
        throw error instanceof InvalidSpec ? new UsageError(linesOf(error)) : error;
      }
    });
};

/** A fault at the start is thrown. A later fault is logged, and the last valid files stay as they are. */
async function keepWriting(flags: Flags): Promise<void> {
  const { directory, template, output } = flags;
  if (directory === undefined || template === undefined || output !== 'script')
    throw new UsageError('--watch: expected --output script, --template and --directory');
  const log = createLog('info');
  let before: string | undefined;
  const again = async () => {
    const { text, files } = await rendered(flags);
    const now = JSON.stringify([text, files]);
    if (now === before) return;
    await write(directory, { ...files, [join(directory, FILE_NAMES.script)]: text });
    await tellNews(directory);
    await forget(directory, Object.keys(files));
    if (before !== undefined) log.info({ directory }, 'clients changed');
    before = now;
  };
  const { file } = await readFuseConfig(flags.file === undefined ? undefined : [flags.file]);
  if ((await templateOf(template)).onChange === undefined) throw new UsageError(`${template}: expected onChange: remount, for --watch`);
  const read = () =>
    again().catch((error: unknown) => {
      const isFault = error instanceof InvalidSpec || error instanceof UsageError;
      if (before === undefined || !isFault) throw error;
      log.error(
        { faults: error instanceof InvalidSpec ? linesOf(error) : [error.message] },
        'the clients keep their last valid configuration',
      );
    });
  await whenever([file, template], read, stopSignal(log));
}

async function rendered({ file, template, output, directory, mount, showOptions = false }: Flags): Promise<Rendered> {
  const { config: all, file: found } = await readFuseConfig(file === undefined ? undefined : [file]);
  const mounts = mount === undefined ? all.mounts : all.mounts.filter(({ name }) => name === mount);
  if (mount !== undefined && mounts.length === 0)
    throw new UsageError(`--mount: expected a mount among ${all.mounts.map(({ name }) => name).join(', ')}, found ${mount}`);
  const config = { ...all, mounts };
  const parsed = template === undefined ? undefined : await templateOf(template);
  if (output === 'json') return { text: viewOf(config, parsed, showOptions), files: {} };
  if (!parsed) throw new UsageError(`--template: expected a file, for --output ${output}`);
  const clients = clientsOf(parsed, config, found);
  if (output === 'script')
    return parsed.onChange && directory !== undefined ? realigningScript(clients, directory) : mountScript(clients, directory);
  const client = onlyOne(clients);
  return output === 'env' ? envFile(client, directory) : argvOf(client, process.env, directory);
}

async function templateOf(file: string): Promise<MountTemplate> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file}: expected a file that can be read, found ${error.code}`);
  });
  return parseMountTemplate(text, file);
}

function onlyOne(clients: readonly FuseProgram[]): FuseProgram {
  const [only] = clients;
  if (only && clients.length === 1) return only;
  throw new UsageError(`--mount: expected one among ${clients.map(({ name }) => name).join(', ')}, found ${clients.length} mounts`);
}

/** Readable by the user of the client only. The script is written last, each file by a rename, so that a script never lacks its files. */
async function write(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const unfinished = `${path}.new`;
    await writeFile(unfinished, text, { mode: 0o600 });
    await chmod(unfinished, path.endsWith('.sh') ? 0o700 : 0o600);
    await rename(unfinished, path);
  }
}

/** Deletes files of secrets that no client has any more. */
async function forget(directory: string, kept: readonly string[]): Promise<void> {
  const secrets = (await readdir(directory)).filter((name) => name.startsWith('secret-')).map((name) => join(directory, name));
  for (const path of secrets.filter((each) => !kept.includes(each))) await rm(path, { force: true });
}

const linesOf = ({ object, faults }: InvalidSpec): readonly string[] =>
  faults.map((fault) => `${object ? `${object}: ` : ''}${describe(fault)}`);
