/** Makes certificates. The library takes 15 MB, so it is loaded with the first one, which most processes never make. */
import { createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { webhookNames } from '../../api/webhook-names.ts';
import { AUTHORITY_MS, BACKDATED_MS, CERTIFICATE_MS, type Keeps, type Material } from './material.ts';

/** Node signs ten times as many handshakes a second with it as with RSA of 2048 bits. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Chains of one PEM file end with it. */
const AUTHORITY = 'CN=sluice-webhook-ca';

type Hosts = readonly [string, ...string[]];

/** The names for which the webhook's certificate is: that by which API servers ask is the first. */
export function hostsOf(namespace: string): Hosts {
  const host = `${webhookNames.service}.${namespace}.svc`;
  return [host, `${host}.cluster.local`, 'localhost'];
}

/**
 * A certificate for these hosts, and an authority if none is kept.
 *
 * @param lastsMs of the certificate, which ends with its authority at the latest
 */
export async function issue({ signer, older }: Keeps, hosts: Hosts, now: number, lastsMs: number = CERTIFICATE_MS): Promise<Material> {
  const authority = signer ?? (await createAuthority(now));
  const { certificate, key } = await createCertificate(authority, hosts, now, lastsMs);
  return { authorities: [authority.certificate, ...older], caKey: authority.key, certificate, key };
}

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

async function createAuthority(now: number): Promise<Pair> {
  const x509 = await library();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(now, AUTHORITY_MS),
    name: AUTHORITY,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      // Two authorities have one name; by this a chain finds the right one.
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificatePem(certificate.rawData), key: keyPem(keys.privateKey) };
}

async function createCertificate(authority: Pair, hosts: Hosts, now: number, lastsMs: number): Promise<Pair> {
  const x509 = await library();
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(now, Math.min(lastsMs, issuer.notAfter.getTime() - now)),
    subject: `CN=${hosts[0]}`,
    // As it is encoded: from its text it could become another type of string, which Go takes for another name.
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    signingAlgorithm: algorithmOf(authority.key),
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      // An API server on the same machine may ask by a URL.
      new x509.SubjectAlternativeNameExtension([
        ...hosts.map((value) => ({ type: 'dns' as const, value })),
        { type: 'ip', value: '127.0.0.1' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { certificate: certificatePem(certificate.rawData), key: keyPem(keys.privateKey) };
}

const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

const validity = (now: number, lastsMs: number) => ({
  serialNumber: `01${randomBytes(15).toString('hex')}`,
  notBefore: new Date(now - BACKDATED_MS),
  notAfter: new Date(now + lastsMs),
  signingAlgorithm: ALGORITHM,
});

/** An authority that Fluid made has an RSA key. */
const algorithmOf = (key: string) =>
  createPrivateKey(key).asymmetricKeyType === 'rsa' ? ({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const) : ALGORITHM;
const signingKey = (key: string) =>
  webcrypto.subtle.importKey('pkcs8', createPrivateKey(key).export({ type: 'pkcs8', format: 'der' }), algorithmOf(key), false, ['sign']);

const certificatePem = (der: ArrayBuffer): string => new X509Certificate(Buffer.from(der)).toString();
const keyPem = (key: webcrypto.CryptoKey): string => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();

async function library() {
  await import('reflect-metadata');
  // CommonJS: a bundle has its exports in the default one only.
  return (await import('@peculiar/x509')).default;
}
