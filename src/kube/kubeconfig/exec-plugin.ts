import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { KubeconfigEntry } from './files.ts';

/** The answer of a plugin: k8s.io/client-go/pkg/apis/clientauthentication/v1. */
export interface ExecCredential {
  readonly token: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** ms since the epoch; undefined if it ends only when the API server refuses it. */
  readonly expires: number | undefined;
}

export interface ExecEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person can answer questions at standard input. */
  readonly isTerminal: boolean;
}

const GROUP = 'client.authentication.k8s.io';
const VERSIONS = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
/** With `v1`, the mode must be set. */
const MODES = ['Never', 'IfAvailable', 'Always'];
/** A plugin that nobody can answer, and that takes longer than this, hangs. */
const PATIENCE_MS = 300_000;

/**
 * `exec` of a user: the program that says who the user is. Returns what runs it.
 *
 * @param cluster what the plugin is told of the cluster, if it wants to know
 * @throws Error that names the field
 */
export function execPlugin(
  { fields, folder }: KubeconfigEntry,
  cluster: object,
  { env, isTerminal }: ExecEnvironment,
): () => Promise<ExecCredential> {
  const fault = (name: string, expected: string, found = fields.value(name)) =>
    new Error(`${fields.where(name)}: expected ${expected}, found ${found === undefined ? 'nothing' : String(found)}`);
  const apiVersion = fields.text('apiVersion') ?? '';
  if (!VERSIONS.includes(apiVersion)) throw fault('apiVersion', VERSIONS.join(' or '));
  const command = fields.text('command');
  if (command === undefined) throw fault('command', 'the name or path of a program');
  const mode = fields.text('interactiveMode') ?? (apiVersion.endsWith('/v1') ? '' : 'IfAvailable');
  if (!MODES.includes(mode)) throw fault('interactiveMode', MODES.join(', '));
  if (mode === 'Always' && !isTerminal) throw fault('interactiveMode', 'Never or IfAvailable: standard input is no terminal');
  const interactive = mode !== 'Never' && isTerminal;
  const info = { apiVersion, kind: 'ExecCredential', spec: { ...(fields.flag('provideClusterInfo') && { cluster }), interactive } };
  const theirs = Object.fromEntries(fields.objects('env').map((each) => [each.text('name') ?? '', each.text('value') ?? '']));
  const environment = { ...env, ...theirs, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  const args = fields.texts('args');
  const hint = fields.text('installHint');

  return async () => {
    const program = programOf(command, folder, env['PATH'] ?? '');
    if (program === undefined) throw fault('command', `a program in PATH${hint === undefined ? '' : ` (${hint})`}`);
    const text = await new Promise<string>((done, fail) => {
      const child = execFile(
        program,
        args,
        { env: environment, maxBuffer: 1 << 20, ...(!interactive && { timeout: PATIENCE_MS }) },
        (error, stdout, stderr) => {
          // Standard error ends the message. Standard output may be a token, and is not quoted.
          if (error) fail(new Error(`${fields.where('command')}: ${command} failed: ${said(error, stderr)}`, { cause: error }));
          else done(stdout);
        },
      );
      // The plugin asks at the terminal, as it does under kubectl.
      if (interactive) {
        child.stderr?.pipe(process.stderr, { end: false });
        if (child.stdin) process.stdin.pipe(child.stdin).on('error', () => {});
        child.on('exit', () => (child.stdin && process.stdin.unpipe(child.stdin), process.stdin.pause()));
      } else child.stdin?.end();
    });
    return credentialIn(text, apiVersion, `${fields.where('command')}: the output of ${command}`);
  };
}

const said = ({ code, signal }: { code?: number | string | null; signal?: string | null }, stderr: string): string =>
  `${signal ? `ended by ${signal}` : typeof code === 'number' ? `exit code ${code}` : String(code)}${stderr.trim() && `: ${stderr.trim().slice(-500)}`}`;

/** As Go looks it up: a path leads from the folder of the kubeconfig; a name is one of PATH, of which what is relative is never run. */
function programOf(command: string, folder: string, path: string): string | undefined {
  if (command.includes('/')) return resolve(folder, command);
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, command))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function credentialIn(text: string, apiVersion: string, what: string): ExecCredential {
  // The text may be a token, so no error quotes it.
  const fault = (expected: string, found: string) => new Error(`${what}: expected ${expected}, found ${found}`);
  let parsed: { readonly apiVersion?: unknown; readonly kind?: unknown; readonly status?: Readonly<Record<string, unknown>> } | null;
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch (error) {
    throw Object.assign(fault('an ExecCredential as JSON', text.trim() === '' ? 'nothing' : 'another text'), { cause: error });
  }
  if (parsed?.kind !== 'ExecCredential' || parsed.apiVersion !== apiVersion)
    throw fault(`an ExecCredential of ${apiVersion}`, 'another kind or version');
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.status ?? {};
  const optional = (value: unknown, name: string): string | undefined => {
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw fault(`status.${name} to be a string`, `a ${typeof value}`);
    return value || undefined;
  };
  const [cert, key] = [optional(clientCertificateData, 'clientCertificateData'), optional(clientKeyData, 'clientKeyData')];
  if ((cert === undefined) !== (key === undefined)) throw fault('clientCertificateData and clientKeyData together', 'one of them');
  const bearer = optional(token, 'token');
  if (bearer === undefined && cert === undefined) throw fault('status.token or status.clientCertificateData', 'neither');
  const time = optional(expirationTimestamp, 'expirationTimestamp');
  const expires = time === undefined ? undefined : Date.parse(time);
  if (Number.isNaN(expires)) throw fault('status.expirationTimestamp as RFC 3339', 'another text');
  return { token: bearer, cert, key, expires };
}
