import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ClusterConnection } from '../client/connection.ts';
import { reread } from '../client/reread.ts';
import type { Clock } from '../clock.ts';
import { type ExecCredential, execPlugin, type ExecEnvironment } from './exec-plugin.ts';
import { fieldsOf } from './fields.ts';
import type { KubeconfigEntry } from './files.ts';

export type Times = Pick<Clock, 'wall' | 'monotonic'>;
export type RequestCredentials = Pick<ClusterConnection, 'cert' | 'key' | 'token' | 'refused' | 'headers'>;

/** A credential that ends while its request is under way would be refused. */
const MARGIN_MS = 10_000;

/** The text of `<name>-data`, or of the file `<name>`, which is read again; undefined if the entry has neither. */
export function pem({ fields, folder }: KubeconfigEntry, name: string): (() => string) | undefined {
  const [data, path] = [fields.text(`${name}-data`), fields.text(name)];
  if (data !== undefined) {
    const text = Buffer.from(data, 'base64').toString('utf8');
    return () => text;
  }
  return path === undefined ? undefined : () => content(resolve(folder, path), fields.where(name));
}

function content(path: string, where: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${where}: expected a file that can be read, found: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The credentials of a user of a kubeconfig. With a certificate and a token, both are sent.
 *
 * @param cluster what an exec plugin is told of the cluster
 * @throws Error that names the field
 */
export function credentialsOf(user: KubeconfigEntry, cluster: object, times: Times, surroundings: ExecEnvironment): RequestCredentials {
  const { fields, folder } = user;
  const conflict = (name: string, others: string) =>
    new Error(`${fields.where(name)}: expected nothing beside ${others}, found one of them`);
  if (fields.value('auth-provider') !== undefined)
    throw new Error(`${fields.where('auth-provider')}: expected exec, found an auth-provider, which Sluice does not support`);
  const exec = fields.object('exec');
  const [token, file, username] = ['token', 'tokenFile', 'username'].map((name) => fields.text(name));
  const hasToken = token !== undefined || file !== undefined;
  if (exec && (hasToken || username !== undefined)) throw conflict('exec', 'token, tokenFile and username');
  if (username !== undefined && hasToken) throw conflict('username', 'token and tokenFile');
  const basic = username && Buffer.from(`${username}:${fields.text('password') ?? ''}`).toString('base64');
  const headers = { ...impersonation(user), ...(basic && { authorization: `Basic ${basic}` }) };
  return {
    ...certificates(user, times),
    ...(exec ? asked(execPlugin({ fields: exec, folder }, cluster, surroundings), times) : tokens(user, times)),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

function certificates(user: KubeconfigEntry, times: Times): Pick<RequestCredentials, 'cert' | 'key'> {
  const [cert, key] = [pem(user, 'client-certificate'), pem(user, 'client-key')];
  if (!cert && !key) return {};
  const { where } = user.fields;
  if (!cert || !key)
    throw new Error(
      `${where(cert ? 'client-key' : 'client-certificate')}: expected it beside ${cert ? 'client-certificate' : 'client-key'}, found nothing`,
    );
  // Both or none: between the renaming of one file and of the other, they belong to no pair.
  const pair = reread(() => {
    const [certificate, secret] = [cert(), key()];
    checkPair(certificate, secret, where('client-certificate'));
    return { cert: certificate, key: secret };
  }, times.monotonic);
  return { cert: () => pair.value().cert, key: () => pair.value().key };
}

function checkPair(cert: string, key: string, where: string): void {
  let isPair: boolean;
  try {
    isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new Error(`${where}: expected a certificate and its key as PEM, found: ${(error as Error).message}`, { cause: error });
  }
  if (!isPair) throw new Error(`${where}: expected the certificate of client-key, found that of another key`);
}

/** If there are both, the file counts. It is read again; while it cannot be, what was read before counts, and before that the token. */
function tokens({ fields, folder }: KubeconfigEntry, times: Times): Pick<RequestCredentials, 'token' | 'refused'> {
  const [token, file] = [fields.text('token'), fields.text('tokenFile')];
  if (file === undefined) return token === undefined ? {} : { token: () => token };
  let last = token;
  const read = reread(() => {
    try {
      last = tokenIn(resolve(folder, file), fields.where('tokenFile'));
    } catch (error) {
      if (last === undefined) throw error;
    }
    return last;
  }, times.monotonic);
  return { token: read.value, refused: read.forget };
}

function tokenIn(path: string, where: string): string {
  const text = content(path, where).trim();
  if (text === '') throw new Error(`${where}: expected a file with a token, found an empty one`);
  return text;
}

/** Asks a plugin when its last answer ends or was refused; all requests wait for one answer. */
function asked(ask: () => Promise<ExecCredential>, times: Times): Pick<RequestCredentials, 'cert' | 'key' | 'token' | 'refused'> {
  let known: ExecCredential | undefined;
  let asking: Promise<ExecCredential> | undefined;
  const isGood = ({ expires = Number.POSITIVE_INFINITY }: ExecCredential) => times.wall() < expires - MARGIN_MS;
  async function current(): Promise<ExecCredential> {
    if (known && isGood(known)) return known;
    asking ??= ask().finally(() => (asking = undefined));
    return (known = await asking);
  }
  return {
    token: async () => (await current()).token,
    cert: () => known?.cert,
    key: () => known?.key,
    refused(token) {
      // A credential that was obtained meanwhile stays.
      if (known?.token === token) known = undefined;
    },
  };
}

/** `Impersonate-*`, as client-go sends them. */
function impersonation({ fields }: KubeconfigEntry): Readonly<Record<string, string | string[]>> {
  const [user, uid, groups] = [fields.text('as'), fields.text('as-uid'), fields.texts('as-groups')];
  const extra = fields.object('as-user-extra') ?? fieldsOf({}, '');
  const names = extra.keys();
  if (user === undefined) {
    const [stray] = [
      ...(uid === undefined ? [] : ['as-uid']),
      ...(groups.length > 0 ? ['as-groups'] : []),
      ...(names.length > 0 ? ['as-user-extra'] : []),
    ];
    if (stray !== undefined) throw new Error(`${fields.where(stray)}: expected a user in \`as\` beside it, found none`);
    return {};
  }
  const value = (text: string, name: string): string => {
    if (/[\0\r\n]/.test(text)) throw new Error(`${fields.where(name)}: expected text of one line, found a line break`);
    // Go sends the bytes of a text, Node one byte for each character.
    return Buffer.from(text, 'utf8').toString('latin1');
  };
  return {
    'impersonate-user': value(user, 'as'),
    ...(uid !== undefined && { 'impersonate-uid': value(uid, 'as-uid') }),
    ...(groups.length > 0 && { 'impersonate-group': groups.map((each) => value(each, 'as-groups')) }),
    ...Object.fromEntries(
      names.map((name) => [`impersonate-extra-${escaped(name)}`, extra.texts(name).map((each) => value(each, 'as-user-extra'))]),
    ),
  };
}

/** RFC 9110's characters of a name, but for the percent sign, which escapes all others. */
const escaped = (name: string): string =>
  [...Buffer.from(name.toLowerCase(), 'utf8')]
    .map((byte) => [byte, String.fromCharCode(byte)] as const)
    .map(([byte, character]) => (/[\w!#$&'*+.^`|~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`))
    .join('');
