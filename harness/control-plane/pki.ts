/** The certificates of one control plane: a CA and what it signs. ECDSA everywhere: making RSA keys would cost more than the rest. */
import { createPrivateKey, KeyObject, randomBytes, webcrypto } from 'node:crypto';

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
  /** Names and addresses, for a serving certificate. */
  readonly hosts?: readonly string[];
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const YEAR = 365 * 24 * 3600 * 1000;

/** A new certificate authority. */
export async function createCa(now: Date): Promise<KeyPair> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...common(now),
    name: 'CN=sluice-test-ca',
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  return { certificate: certificate.toString('pem'), key: privatePem(keys.privateKey) };
}

/** A certificate that authenticates `user` in `groups`, and serves `hosts` when given. */
export async function issue(ca: KeyPair, { user, groups = [], hosts = [] }: Identity, now: Date): Promise<KeyPair> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...common(now),
    subject: [{ CN: [user] }, ...groups.map((group) => ({ O: [group] }))],
    issuer: new x509.X509Certificate(ca.certificate).subjectName.toJSON(),
    publicKey: keys.publicKey,
    signingKey: await signingKey(ca.key),
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth]),
      ...(hosts.length === 0
        ? []
        : [
            new x509.SubjectAlternativeNameExtension(
              hosts.map((value) => ({ type: isAddress(value) ? ('ip' as const) : ('dns' as const), value })),
            ),
          ]),
    ],
  });
  return { certificate: certificate.toString('pem'), key: privatePem(keys.privateKey) };
}

/** A signing request for another authority, and its key. */
export async function createRequest({ user, groups = [] }: Identity): Promise<{ readonly request: string; readonly key: string }> {
  const x509 = await library();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const name = [{ CN: [user] }, ...groups.map((group) => ({ O: [group] }))];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: ALGORITHM });
  return { request: request.toString('pem'), key: privatePem(keys.privateKey) };
}

/** The key pair that signs ServiceAccount tokens. */
export async function tokenKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const { publicKey, privateKey } = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  return { publicKey: publicPem(publicKey), privateKey: privatePem(privateKey) };
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host);
}

function common(now: Date) {
  return {
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    notBefore: new Date(now.getTime() - 3600_000),
    notAfter: new Date(now.getTime() + YEAR),
    signingAlgorithm: ALGORITHM,
  };
}

function signingKey(key: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}

const privatePem = (key: webcrypto.CryptoKey): string => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
const publicPem = (key: webcrypto.CryptoKey): string => KeyObject.from(key).export({ type: 'spki', format: 'pem' }).toString();

/** Loaded on first use: 100 ms that users of the pure test helpers should not pay. */
async function library() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
