/**
 * Reads a Secret with certificates, and decides what has to be done about it: pure. Node's own X.509 reads; making loads a library
 * (issue.ts).
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { rawNamesOf } from './raw-names.ts';

/** Keys of the Secret, which are Fluid's. A client that knows the type kubernetes.io/tls finds its names too. */
const secretKeys = {
  caKey: 'ca-key.pem',
  caCertificate: 'ca-cert.pem',
  key: ['key.pem', 'tls.key'],
  certificate: ['cert.pem', 'tls.crt'],
} as const;

/** PEM, as in the Secret. */
export interface Material {
  /** The authority that signs, then those of before that a replica may still serve a certificate of. */
  readonly authorities: readonly string[];
  readonly caKey: string;
  readonly certificate: string;
  readonly key: string;
}

export type Decision =
  /** Until `until`, ms since the epoch, after which it is decided anew. `expires`: the certificate or its authority ends. */
  { readonly do: 'serve'; readonly material: Material; readonly expires: number; readonly until: number } | Renewal;

export interface Renewal {
  readonly do: 'renew';
  readonly because: string;
  readonly keeps: Keeps;
  /** A certificate that works until then. */
  readonly serve?: Material;
}

/** The parts that a renewal keeps. */
export interface Keeps {
  /** Signs the new certificate; absent: a new authority does. */
  readonly signer?: { readonly certificate: string; readonly key: string };
  /** Authorities that replicas may still serve certificates of. */
  readonly older: readonly string[];
}

const DAY = 24 * 3600_000;
export const AUTHORITY_MS = 3650 * DAY;
export const CERTIFICATE_MS = 365 * DAY;
/** Clocks of API servers may be slow. */
export const BACKDATED_MS = 3600_000;
/** A certificate is renewed in the last third of its time, and at the latest, for those of Fluid that last ten years, so long before. */
const RENEW_MS = 120 * DAY;
/** Every replica serves a new certificate long before, and until then the older authority counts too. */
const OVERLAP_MS = DAY;

export type Data = Readonly<Record<string, string>>;

/**
 * @param data of the Secret; undefined: it does not exist
 * @param host that the API server asks for
 */
export function decide(data: Data | undefined, host: string, now: number): Decision {
  if (data === undefined) return { do: 'renew', because: 'the Secret does not exist', keeps: { older: [] } };
  const authorities = authoritiesIn(data, now);
  const found = pairs(data).map((pair) => ({ pair, problem: whyUnfit(pair, authorities, host, now) }));
  const pair = found.find(({ problem }) => problem === undefined)?.pair;
  const keeps = keepsOf(data, now);
  if (!pair) return { do: 'renew', because: found[0]?.problem ?? 'the Secret has no certificate', keeps };
  const material: Material = { authorities, caKey: textOf(data, secretKeys.caKey), ...pair };
  const { validFromDate, validToDate } = new X509Certificate(pair.certificate);
  const authorityEnds = Math.max(...issuersOf(material).map((pem) => new X509Certificate(pem).validToDate.getTime()));
  const [from, expires] = [validFromDate.getTime(), Math.min(validToDate.getTime(), authorityEnds)];
  const due = expires - Math.min((expires - from) / 3, RENEW_MS);
  if (now >= due) {
    const older = bundleOf(material, now).filter((pem) => pem !== keeps.signer?.certificate);
    return {
      do: 'renew',
      because: `the certificate ends at ${new Date(expires).toISOString()}`,
      keeps: { ...keeps, older },
      serve: material,
    };
  }
  return { do: 'serve', material, expires, until: due };
}

/** @param lastsMs for which the authority that signs has to be valid */
export function keepsOf(data: Data, now: number, lastsMs: number = CERTIFICATE_MS): Keeps {
  const authorities = authoritiesIn(data, now);
  const signer = signerOf(authorities, textOf(data, secretKeys.caKey), now, lastsMs);
  return { ...(signer && { signer }), older: authorities.filter((pem) => pem !== signer?.certificate) };
}

const authoritiesIn = (data: Data, now: number): readonly string[] =>
  certificatesIn(textOf(data, secretKeys.caCertificate)).filter((pem) => isAuthority(pem, now));

/** Whether the API server takes this certificate at this time. */
export const isFit = (material: Material, host: string, now: number): boolean =>
  whyUnfit(material, material.authorities, host, now) === undefined;

/** The authorities that have issued the certificate. */
export const issuersOf = ({ authorities, certificate }: Material): readonly string[] =>
  authorities.filter((pem) => isIssuedBy(new X509Certificate(certificate), pem));

/** The authorities that the API server has to trust. Older ones count while replicas may serve their certificates. */
export function bundleOf({ authorities: [newest, ...older], certificate }: Material, now: number): readonly string[] {
  if (newest === undefined) return [];
  // From the certificate, not from the authority: one that an operator brings may be old.
  const isOver = now > new X509Certificate(certificate).validFromDate.getTime() + BACKDATED_MS + OVERLAP_MS;
  const needed = older.filter((pem) => !isOver || isIssuedBy(new X509Certificate(certificate), pem));
  return [newest, ...needed];
}

const pairs = (data: Data) =>
  secretKeys.certificate.map((name, i) => ({ certificate: textOf(data, name), key: textOf(data, secretKeys.key[i] ?? '') }));

function whyUnfit({ certificate, key }: Pick<Material, 'certificate' | 'key'>, authorities: readonly string[], host: string, now: number) {
  const parsed = parsedCertificate(certificate);
  if (!parsed) return 'the certificate cannot be read';
  const privateKey = parsedKey(key);
  if (!privateKey) return 'the key of the certificate cannot be read';
  for (const check of CHECKS) {
    const problem = check({ certificate: parsed, key: privateKey, authorities, host, now });
    if (problem) return problem;
  }
  return undefined;
}

/** A certificate as it would be served, and all that the API server asks of it. */
interface Presented extends Pick<Material, 'authorities'> {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  readonly host: string;
  readonly now: number;
}
/** The first that finds something says why the certificate is unfit. */
const CHECKS: readonly ((presented: Presented) => string | false)[] = [
  ({ certificate, key }) => !certificate.checkPrivateKey(key) && 'the key is not that of the certificate',
  ({ certificate: { validToDate }, now }) => validToDate.getTime() <= now && `the certificate ended at ${validToDate.toISOString()}`,
  ({ certificate: { validFromDate }, now }) => validFromDate.getTime() > now && `the certificate begins at ${validFromDate.toISOString()}`,
  ({ certificate, host }) => certificate.checkHost(host) === undefined && `the certificate is not for ${host}`,
  ({ certificate, authorities, now }) =>
    !authorities.some((pem) => isValid(pem, now) && isIssuedBy(certificate, pem)) &&
    'no authority in the Secret has issued the certificate',
];

/** One that is not valid yet counts: a replica whose clock is ahead may have made it, and serve a certificate of it. */
export function isAuthority(pem: string, now: number): boolean {
  const parsed = parsedCertificate(pem);
  return parsed?.ca === true && parsed.validToDate.getTime() > now;
}

/** Whether an authority is valid now. */
function isValid(pem: string, now: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  return validFromDate.getTime() <= now && now < validToDate.getTime();
}

/** The authority that the key is of, if it is valid for that long. */
function signerOf(authorities: readonly string[], key: string, now: number, lastsMs: number): Keeps['signer'] {
  const privateKey = parsedKey(key);
  const certificate = privateKey && authorities.find((pem) => isValid(pem, now) && new X509Certificate(pem).checkPrivateKey(privateKey));
  if (!privateKey || certificate === undefined || !canSign(privateKey)) return undefined;
  if (new X509Certificate(certificate).validToDate.getTime() < now + lastsMs) return undefined;
  return { certificate, key };
}

/** Whether the key is of the types that Fluid and issue.ts make. */
const canSign = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  asymmetricKeyType === 'rsa' || (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1');

function isIssuedBy(certificate: X509Certificate, pem: string): boolean {
  const authority = new X509Certificate(pem);
  const isNamed = rawNamesOf(certificate.raw).issuer.equals(rawNamesOf(authority.raw).subject);
  return isNamed && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

export const certificatesIn = (text: string): readonly string[] =>
  [...text.matchAll(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)].map(([pem]) => `${pem}\n`);

const textOf = (data: Data, key: string): string => Buffer.from(String(data[key] ?? ''), 'base64').toString('utf8');

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
const parsedCertificate = (pem: string): X509Certificate | undefined => attempt(() => new X509Certificate(pem));
const parsedKey = (pem: string): KeyObject | undefined => attempt(() => createPrivateKey(pem));

/** The Secret's data of this material. */
export function dataOf({ authorities, caKey, certificate, key }: Material): Data {
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  return {
    [secretKeys.caKey]: encoded(caKey),
    [secretKeys.caCertificate]: encoded(authorities.join('')),
    ...Object.fromEntries(secretKeys.certificate.map((name) => [name, encoded(certificate)])),
    ...Object.fromEntries(secretKeys.key.map((name) => [name, encoded(key)])),
  };
}
