import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { ownerUid } from '../../api/index.ts';
import type { Operation, SshKeys } from '../../constructs/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isNotFound } from '../../kube/errors.ts';
import { deleteByUid } from '../kubernetes/apply/deletion.ts';
import { Secret } from '../../planning/kinds.ts';

type Asked = Pick<Operation, 'kind' | 'name' | 'namespace' | 'uid'>;

/** The keys that were made for an operation; new ones if it has none yet. Its construct renders the Secret. */
export async function sshKeysOf(client: Pick<KubeClient, 'get'>, operation: Asked): Promise<SshKeys> {
  const { 'ssh-privatekey': privateKey, 'ssh-publickey': publicKey } = (await ownSecret(client, operation))?.data ?? {};
  return privateKey && publicKey ? { privateKey: decoded(privateKey), publicKey: decoded(publicKey) } : newKeys();
}

/** Deletes the keys that were made for an operation, once nothing needs them. */
export async function deleteSshKeys(client: Pick<KubeClient, 'get' | 'delete'>, operation: Asked): Promise<void> {
  const secret = await ownSecret(client, operation);
  if (!secret) return;
  const { namespace, name, uid = '' } = secret.metadata;
  await deleteByUid(client, Secret, { namespace, name }, uid);
}

/** threat-model: R-secret-keys */
async function ownSecret(client: Pick<KubeClient, 'get'>, operation: Asked) {
  const { namespace, uid } = operation;
  const found = await client.get(Secret, { namespace, name: operationNames(operation).sshKeys }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  // The cast: a Secret was read.
  return found && ownerUid(found) === uid ? (found as typeof found & { readonly data?: Readonly<Record<string, string>> }) : undefined;
}

const decoded = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

/** ECDSA on P-256: every SSH program reads this private key as OpenSSL writes it. */
function newKeys(): SshKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey: privateKey.export({ type: 'sec1', format: 'pem' }) as string, publicKey: authorizedKey(publicKey) };
}

/** RFC 5656, 3.1: three strings, each after its length. */
function authorizedKey(key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const type = 'ecdsa-sha2-nistp256';
  const blob = Buffer.concat([Buffer.from(type), Buffer.from('nistp256'), point].map(withLength));
  return `${type} ${blob.toString('base64')}`;
}
function withLength(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
