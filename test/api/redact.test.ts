import { describe, expect, test } from 'vitest';
import { redactedText } from '../../src/api/redact.ts';
import { LONG, tooDear } from '../hostile/cost.ts';

describe('a text for a log, a condition or an event', () => {
  test.each([
    'fs.oss.accessKeySecret=LEAKED',
    'mount --option fs.cos.secret.key=LEAKED s3://b',
    'client_secret=LEAKED',
    'AWS_SECRET_ACCESS_KEY=LEAKED',
    'userPassword=LEAKED',
    'authToken=LEAKED',
    'sasToken: LEAKED',
    'JFS_RSA_PASSPHRASE=LEAKED',
    'apiKey=LEAKED',
    'https://a.example/b?sig=LEAKED&x=1',
    'X-Amz-Signature=LEAKED',
    'AccountKey=LEAKED;EndpointSuffix=a',
    'fs.azure.account.key.a.blob=LEAKED',
    '{"password":"LEA LEAKED"}',
    '--password LEAKED',
    "--secret-key 'LEA LEAKED'",
    'redis://:LEAKED@host:6379/1',
    'redis://user:a/LEAKED@host',
    'mysql://root:LE@LEAKED@(h:3306)/x',
    'found "//user:LEAKED@host/b"',
    'Authorization: Bearer LEAKEDLEAKED',
    'key: "s3a.secretKey"\n  value: "LEAKED"',
  ])('shows no credential: %s', (text) => {
    const redacted = redactedText(text);
    expect(redacted).toContain('[redacted]');
    expect(redacted).not.toMatch(/LEA/);
    expect(redactedText(redacted)).toBe(redacted);
  });

  test.each([
    'waiting for Secret ml/keys of spec.mounts[0].encryptOptions[0].valueFrom.secretKeyRef in the Dataset',
    'spec.mounts[0].encryptOptions[0].valueFrom.secretKeyRef: expected name and key of a Secret, found {}',
    'spec.token: expected a string, found 5',
    'secrets "x" is forbidden: User "y" cannot get',
    'oci://registry.example/a@sha256:abc',
    'https://minio.example:9000/bucket: 404',
    'a // comment: of user@host',
  ])('is left as it is where it shows none: %s', (text) => expect(redactedText(text)).toBe(text));

  test.each(['//', '//:', '//a:', 'a://:', '//a'])('takes time in proportion to %j again and again', (piece) =>
    expect(tooDear((size) => piece.repeat(size / piece.length), redactedText, LONG, Infinity)).toBeUndefined(),
  );
});
