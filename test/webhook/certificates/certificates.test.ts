import { KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCa, issue as issueOther, type KeyPair } from '../../../harness/control-plane/pki.ts';
import type { Clock } from '../../../src/kube/clock.ts';
import { type KubeObject, type Log, silent } from '../../../src/kube/types.ts';
import { type ApiServer, createApiServer, Refusal } from '../../../src/api-server/index.ts';
import { CONFIGURATION, VALIDATION_CONFIGURATION } from '../../../src/webhook/certificates/configuration.ts';
import { type Certificates, keepCertificates } from '../../../src/webhook/certificates/certificates.ts';
import { issue } from '../../../src/webhook/certificates/issue.ts';
import { bundleOf, certificatesIn, dataOf, type Material } from '../../../src/webhook/certificates/material.ts';
import { rawNamesOf } from '../../../src/webhook/certificates/raw-names.ts';
import { aMoment, type ManualClock, manualClock, until } from '../../support/manual-clock.ts';

const NAMESPACE = 'fluid-system';
const SECRET = 'fluid-webhook-certs';
const NAME = 'fluid-pod-admission-webhook';
const HOST = `${NAME}.${NAMESPACE}.svc`;
const DAY = 24 * 3600_000;

let server: ApiServer;
let clock: ManualClock;
interface Replica {
  readonly certificates: Certificates;
  readonly served: Material[];
  /** The numbers of entries that it was told of. */
  readonly entries: number[];
  /** The same of the configuration for validations. */
  readonly validations: number[];
}
let replicas: Replica[];
let warnings: string[];
beforeEach(() => {
  clock = manualClock();
  server = createApiServer({ kinds: [CONFIGURATION, VALIDATION_CONFIGURATION.type], namespaces: [NAMESPACE], now: clock.wall });
  // As in the manifests.
  server.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET, namespace: NAMESPACE } } as KubeObject);
  replicas = [];
  warnings = [];
});
afterEach(() => {
  for (const { certificates } of replicas) certificates.stop();
});

function start(at: Clock = clock, { validates = false } = {}): Replica {
  const validations: number[] = [];
  const served: Material[] = [];
  const entries: number[] = [];
  const log: Log = { ...silent, warn: (fields, message) => void warnings.push(`${message} ${JSON.stringify(fields)}`) };
  const certificates = keepCertificates({
    client: server.client(),
    namespace: NAMESPACE,
    onServe: (material) => void served.push(material),
    onEntries: (count) => void entries.push(count),
    ...(validates && { onValidationEntries: (count: number) => void validations.push(count) }),
    log,
    clock: at,
  });
  const replica = { certificates, served, entries, validations };
  replicas.push(replica);
  return replica;
}
const serves = (replica: Replica, count = 1) => until(() => replica.served.length >= count, `${count} certificates to be served`);
const secret = () => server.get('Secret', NAMESPACE, SECRET);
const put = (data: Readonly<Record<string, string>>) =>
  server.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET, namespace: NAMESPACE }, type: 'Opaque', data } as KubeObject);
const entry = (name: string, clientConfig: object) => ({ name, clientConfig });
const configure = (...webhooks: readonly object[]) =>
  server.put({ apiVersion: 'admissionregistration.k8s.io/v1', kind: CONFIGURATION.kind, metadata: { name: NAME }, webhooks } as KubeObject);
const service = { service: { namespace: NAMESPACE, name: NAME } };
interface Configuration extends KubeObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
}
const bundles = () => {
  const configuration = server.get(CONFIGURATION.kind, undefined, NAME) as Configuration | undefined;
  return configuration?.webhooks.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle ?? '', 'base64').toString('utf8')) ?? [];
};
/** Whether an API server with this bundle accepts what is served. */
const trusts = (bundle: string, { certificate }: Material): boolean =>
  certificatesIn(bundle).some((pem) => new X509Certificate(certificate).verify(new X509Certificate(pem).publicKey));
/** As `openssl req` makes it: its name is a UTF8String. */
async function operatorsAuthority(): Promise<KeyPair> {
  await import('reflect-metadata');
  const x509 = (await import('@peculiar/x509')).default;
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: [{ CN: [`#0c0b${Buffer.from('Operator CA').toString('hex')}`] }],
    notBefore: new Date(clock.wall() - DAY),
    notAfter: new Date(clock.wall() + 3000 * DAY),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { certificate: `${certificate.toString('pem')}\n`, key: String(key) };
}
const last = ({ served }: Replica): Material => served.at(-1) as Material;
const writes = (kind: string) => server.requestsThat({ kind }).filter(({ verb }) => ['create', 'update', 'patch'].includes(verb));

describe('the first certificate', () => {
  test('is made, stored under the names of Fluid, and written to every entry of the configuration', async () => {
    configure(entry('a', service), entry('b', { ...service, caBundle: 'b2xk' }), entry('c', { url: 'https://localhost:1/' }));
    const replica = start();
    await serves(replica);
    expect(Object.keys(secret()?.['data'] as object).toSorted()).toEqual(
      ['ca-cert.pem', 'ca-key.pem', 'cert.pem', 'key.pem', 'tls.crt', 'tls.key'].toSorted(),
    );
    const { certificate, authorities } = last(replica);
    const parsed = new X509Certificate(certificate);
    expect([HOST, `${HOST}.cluster.local`, 'localhost'].map((host) => parsed.checkHost(host) !== undefined)).toEqual([true, true, true]);
    expect(parsed.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(bundles()).toEqual([authorities[0], authorities[0], authorities[0]]);
    await until(() => replica.certificates.notReady() === undefined, 'the replica to be ready');
  });
  test('is one, however many replicas start at once', async () => {
    configure(entry('a', service));
    const started = [start(), start(), start()];
    await Promise.all(started.map((replica) => serves(replica)));
    expect(new Set(started.map((replica) => last(replica).certificate)).size).toBe(1);
    expect(bundles()).toEqual([last(started[0] as Replica).authorities[0]]);
  });
  test('is that of Fluid while it is valid, without a write', async () => {
    const now = new Date(clock.wall());
    const ca = await createCa(now);
    const pair = await issueOther(ca, { user: 'fluid', hosts: [HOST, 'localhost'] }, now);
    put(dataOf({ authorities: [ca.certificate], caKey: ca.key, ...pair }));
    const replica = start();
    await serves(replica);
    expect(last(replica).certificate.trim()).toBe(pair.certificate.trim());
    expect(writes('Secret')).toEqual([]);
  });
  test('waits for the Secret, which readiness and the log name: the webhook may not create any', async () => {
    server.remove('Secret', NAMESPACE, SECRET);
    server.forgetRequests();
    const replica = start();
    const why = `Secret ${NAMESPACE}/${SECRET} does not exist: apply the manifests that sluice install prints`;
    await until(() => replica.certificates.notReady() === why, 'the reason');
    expect(warnings.join()).toContain(JSON.stringify({ error: why, retryMs: 100 }));
    expect(server.requestsThat({ verb: 'create' })).toEqual([]);
    server.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET, namespace: NAMESPACE } } as KubeObject);
    clock.advance(60_000);
    await serves(replica);
  });
  test('is not served before the Secret could be read, which readiness says', async () => {
    server.rules.refuse({ kind: 'Secret', verb: 'list' }, new Refusal(403, 'Forbidden', 'no'));
    const replica = start();
    await until(() => replica.certificates.notReady()?.includes('403') === true, 'the reason');
    expect(replica.served).toEqual([]);
  });
});

describe('a configuration', () => {
  test('that is created, recreated or changed later gets the bundle', async () => {
    const replica = start();
    await serves(replica);
    expect(replica.certificates.notReady()).toBeUndefined();
    configure(entry('a', service));
    await until(() => trusts(bundles()[0] ?? '', last(replica)), 'the bundle');
    server.delete(CONFIGURATION.kind, undefined, NAME);
    configure(entry('a', { ...service, caBundle: 'b3RoZXI=' }), entry('b', service));
    await until(() => bundles().every((bundle) => trusts(bundle, last(replica))), 'the bundles');
  });
  test('keeps the bundle of an installation in another namespace', async () => {
    configure(entry('theirs', { service: { namespace: 'elsewhere', name: NAME }, caBundle: 'b2xk' }), entry('ours', service));
    await serves(start());
    await until(() => bundles()[1] !== '', 'our bundle');
    expect(bundles()[0]).toBe('old');
  });
  test('that leads to no replica any more, or is deleted, is counted and logged, and replicas stay ready', async () => {
    configure(entry('a', service), entry('b', service), entry('theirs', { service: { namespace: 'elsewhere', name: NAME } }));
    const replica = start();
    await serves(replica);
    await until(() => replica.entries.length === 1, 'the first count');
    expect(warnings).toEqual([]);
    configure();
    await until(() => replica.entries.length === 2, 'the count of an empty list');
    configure(entry('a', service));
    await until(() => replica.entries.length === 3, 'the count of one entry');
    server.delete(CONFIGURATION.kind, undefined, NAME);
    await until(() => replica.entries.length === 4, 'the count without a configuration');
    expect(replica.entries).toEqual([2, 0, 1, 0]);
    expect(warnings).toEqual([
      expect.stringContaining('no entry of the MutatingWebhookConfiguration leads to this webhook'),
      expect.stringContaining('no entry of the MutatingWebhookConfiguration leads to this webhook'),
    ]);
    expect(replica.certificates.notReady()).toBeUndefined();
  });
  test('that does not exist at the start is counted as none, with a warning', async () => {
    const replica = start();
    await until(() => replica.entries.length === 1, 'the count');
    expect(replica.entries).toEqual([0]);
    expect(warnings).toHaveLength(1);
  });
  test('that cannot be written is tried again, and the replica is not ready until then', async () => {
    configure(entry('a', service));
    const refusal = server.rules.refuse({ kind: CONFIGURATION.kind, verb: 'patch' }, new Refusal(403, 'Forbidden', 'no'));
    const replica = start();
    await until(() => replica.certificates.notReady()?.includes('403') === true, 'the reason');
    refusal.remove();
    clock.advance(1_000);
    await until(() => replica.certificates.notReady() === undefined, 'the replica to be ready');
  });
  test('gets no older bundle from a replica whose watch is late', async () => {
    configure(entry('a', service));
    const [late, other] = [start(), start()];
    await Promise.all([serves(late), serves(other)]);
    await aMoment();
    server.hold('Secret');
    // Another replica's material.
    const material = await issue({ older: [] }, [HOST], clock.wall());
    put(dataOf(material));
    configure(entry('a', { ...service, caBundle: Buffer.from(bundleOf(material, clock.wall()).join('')).toString('base64') }));
    await aMoment();
    server.release('Secret');
    await aMoment();
    expect(certificatesIn(bundles()[0] ?? '')).toContain(material.authorities[0]);
    expect(trusts(bundles()[0] ?? '', material)).toBe(true);
  });
});

describe('a Secret', () => {
  test.each([
    ['is deleted and applied again', () => (server.delete('Secret', NAMESPACE, SECRET), void put({}))],
    ['is emptied', () => void put({})],
    ['has garbage', () => void put({ 'ca-cert.pem': 'eA==', 'ca-key.pem': '!', 'cert.pem': 'eA==', 'key.pem': '' })],
  ])('that %s is written again, and what is served meanwhile stays trusted', async (_, damage) => {
    configure(entry('a', service));
    const [replica, other] = [start(), start()];
    await Promise.all([serves(replica), serves(other)]);
    await until(() => bundles()[0] !== '', 'the bundle');
    const before = last(replica);
    damage();
    await until(() => certificatesIn(bundles()[0] ?? '').length === 2, 'both authorities in the bundle');
    expect(trusts(bundles()[0] ?? '', before)).toBe(true);
    expect(last(replica)).toBe(before);
    // API servers know the bundle by then.
    await until(() => clock.waits.includes(10_000), 'the wait');
    await aMoment();
    clock.advance(10_000);
    await Promise.all([serves(replica, 2), serves(other, 2)]);
    expect(last(replica).certificate).toBe(last(other).certificate);
    expect(trusts(bundles()[0] ?? '', last(replica))).toBe(true);
    // The older authority goes when no replica can need it any more.
    for (let hour = 0; hour < 27; hour++) {
      clock.advance(3600_000);
      await aMoment(2);
    }
    await until(() => certificatesIn(bundles()[0] ?? '').length === 1, 'one authority in the bundle');
  });
  test('with an old authority and a certificate that has ended is written again, and what is served meanwhile stays trusted', async () => {
    configure(entry('a', service));
    const replica = start();
    await serves(replica);
    const old = await issue({ older: [] }, [HOST], clock.wall() - 400 * DAY);
    put(dataOf(old));
    await until(() => certificatesIn(bundles()[0] ?? '').includes(old.authorities[0] ?? ''), 'the authority in the bundle');
    expect(trusts(bundles()[0] ?? '', last(replica))).toBe(true);
    await until(() => clock.waits.includes(10_000), 'the wait');
    clock.advance(10_000);
    await serves(replica, 2);
    expect(trusts(bundles()[0] ?? '', last(replica))).toBe(true);
  });
  test('with a certificate for another name is written again', async () => {
    const now = new Date(clock.wall());
    const ca = await createCa(now);
    put(dataOf({ authorities: [ca.certificate], caKey: ca.key, ...(await issueOther(ca, { user: 'x', hosts: ['other.svc'] }, now)) }));
    const replica = start();
    await serves(replica);
    expect(new X509Certificate(last(replica).certificate).checkHost(HOST)).toBe(HOST);
  });
  test("with an operator's own authority has certificates that name it byte for byte, as Go compares names", async () => {
    const authority = await operatorsAuthority();
    // Named with another type of string: Node would accept it, an API server would not.
    const misnamed = await issueOther(authority, { user: 'x', hosts: [HOST] }, new Date(clock.wall()));
    put(dataOf({ authorities: [authority.certificate], caKey: authority.key, ...misnamed }));
    const replica = start();
    await serves(replica);
    expect(last(replica).authorities).toEqual([authority.certificate]);
    const names = [last(replica).certificate, authority.certificate].map((pem) => rawNamesOf(new X509Certificate(pem).raw));
    expect(names[0]?.issuer).toEqual(names[1]?.subject);
    expect(names[0]?.issuer.toString('latin1')).toContain('\x0c\x0bOperator CA');
  });
  test('keeps labels and keys that others have added', async () => {
    server.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: SECRET, namespace: NAMESPACE, labels: { team: 'a' } },
      data: { extra: 'eA==' },
    } as KubeObject);
    await serves(start());
    expect(secret()).toMatchObject({ metadata: { labels: { team: 'a' } }, data: { extra: 'eA==' } });
  });
});

describe('replicas whose clocks differ by months', () => {
  const ahead = (days: number) => ({ ...clock, wall: () => clock.wall() + days * DAY });
  test("keep each other's authorities in the bundle", async () => {
    configure(entry('a', service));
    const fast = start(ahead(90));
    await serves(fast);
    const slow = start();
    await serves(slow);
    await aMoment();
    expect([trusts(bundles()[0] ?? '', last(fast)), trusts(bundles()[0] ?? '', last(slow))]).toEqual([true, true]);
  });
  test("do not replace each other's certificates without end", async () => {
    configure(entry('a', service));
    const [fast, slow] = [start(ahead(300)), start()];
    await Promise.all([serves(fast), serves(slow)]);
    await aMoment(50);
    expect(writes('Secret').length).toBeLessThan(10);
    server.forgetRequests();
    for (let hour = 0; hour < 24; hour++) {
      clock.advance(3600_000);
      await aMoment(5);
    }
    expect(writes('Secret').length).toBeLessThan(150);
    const ticking = setInterval(() => clock.advance(3600_000), 5);
    await until(() => writes('Secret').length > 1, 'another try').finally(() => clearInterval(ticking));
  });
});

describe('as time goes on', () => {
  /** In steps of the longest wait, as timers would. */
  async function pass(days: number): Promise<void> {
    clock.setWall(days * DAY);
    clock.advance(3600_000);
    await aMoment(10);
  }
  test('a certificate is renewed in its last third, by the same authority, once for all replicas', async () => {
    configure(entry('a', service));
    const [replica, other] = [start(), start()];
    await Promise.all([serves(replica), serves(other)]);
    const { authorities } = last(replica);
    server.forgetRequests();
    await pass(240);
    expect(replica.served).toHaveLength(1);
    await pass(6);
    await until(() => writes('Secret').some(({ status }) => status < 300), 'the write');
    // Whoever was second tries again, from whenever it is that it was refused.
    const both = () => {
      clock.advance(100);
      return [replica, other].every(({ served }) => served.length === 2);
    };
    await until(both, '2 certificates to be served');
    expect(last(replica).authorities).toEqual(authorities);
    expect(last(replica).certificate).toBe(last(other).certificate);
    expect(writes('Secret').filter(({ status }) => status < 300)).toHaveLength(1);
  });
  test('a certificate that has ended while nothing ran is replaced at once, by a new authority if that has ended too', async () => {
    configure(entry('a', service));
    const first = start();
    await serves(first);
    first.certificates.stop();
    clock.setWall(4_000 * DAY);
    const replica = start();
    await serves(replica);
    await until(() => trusts(bundles()[0] ?? '', last(replica)), 'the bundle');
    expect(last(replica).authorities).toHaveLength(1);
    expect(last(replica).authorities).not.toEqual(last(first).authorities);
  });
  test('an authority is replaced before it ends, and both are trusted meanwhile', async () => {
    configure(entry('a', service));
    const replica = start();
    await serves(replica);
    // Ten years are 3,650 days.
    for (let years = 0; years < 13; years++) {
      const before = last(replica);
      const count = replica.served.length;
      await pass(300);
      await until(() => clock.waits.includes(10_000), 'the wait');
      expect(trusts(bundles()[0] ?? '', before)).toBe(true);
      clock.advance(10_000);
      await serves(replica, count + 1);
      expect(trusts(bundles()[0] ?? '', last(replica))).toBe(true);
    }
    expect(new Set(replica.served.map(({ authorities }) => authorities[0])).size).toBe(2);
  });
});

describe('the configuration for validations', () => {
  const { type, name } = VALIDATION_CONFIGURATION;
  const put = (...webhooks: readonly object[]) =>
    server.put({ apiVersion: 'admissionregistration.k8s.io/v1', kind: type.kind, metadata: { name }, webhooks } as KubeObject);
  const bundle = () => {
    const found = server.get(type.kind, undefined, name) as Configuration | undefined;
    return Buffer.from(found?.webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString('utf8');
  };

  test('gets the same bundle as that for pods, also when it is created later, and is counted', async () => {
    configure(entry('a', service));
    const replica = start(clock, { validates: true });
    await serves(replica);
    await until(() => replica.validations.length === 1, 'the count');
    put(entry('validate.data.fluid.io', service));
    await until(() => bundle() !== '', 'the bundle');
    expect(bundle()).toBe(bundles()[0]);
    expect(replica.validations).toEqual([0, 1]);
    expect(warnings).toEqual([
      expect.stringMatching(/^no entry of the ValidatingWebhookConfiguration leads to this webhook: .* without being judged/),
    ]);
  });
  test('is not watched by a webhook that does not validate', async () => {
    configure(entry('a', service));
    put(entry('validate.data.fluid.io', service));
    await serves(start());
    await aMoment();
    expect(bundle()).toBe('');
    expect(server.requestsThat({ kind: type.kind })).toEqual([]);
  });
  test('that cannot be written keeps no pod from its webhook, and is tried again', async () => {
    configure(entry('a', service));
    put(entry('validate.data.fluid.io', service));
    const refusal = server.rules.refuse({ kind: type.kind, verb: 'patch' }, new Refusal(403, 'Forbidden', 'no'));
    const replica = start(clock, { validates: true });
    await serves(replica);
    await until(() => warnings.length > 0, 'the warning');
    expect(replica.certificates.notReady()).toBeUndefined();
    refusal.remove();
    clock.advance(60_000);
    await until(() => bundle() !== '', 'the bundle');
    expect(bundle()).toBe(bundles()[0]);
  });
});
