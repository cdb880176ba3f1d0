import { describe, expect, test } from 'vitest';
import { missingText } from '../../src/planning/secret-text.ts';

const option = (name: string) => ({ name: 'key', valueFrom: { secretKeyRef: { name, key: 'k' } } });

describe('a Secret in a message', () => {
  test.each<[string, string, Record<string, unknown>, string]>([
    [
      'is reported with the field of the Dataset that names it',
      'keys',
      { Dataset: { mounts: [{ encryptOptions: [option('other')] }, { encryptOptions: [option('keys')] }] } },
      'Secret ml/keys of spec.mounts[1].encryptOptions[0].valueFrom.secretKeyRef in the Dataset',
    ],
    [
      'is reported with the field of the runtime that names it',
      'keys',
      { Dataset: {}, ThinRuntime: { fuse: { env: [option('keys')] } } },
      'Secret ml/keys of spec.fuse.env[0].valueFrom.secretKeyRef in the ThinRuntime',
    ],
    ['is reported alone where a profile names it', 'keys', { Dataset: { options: { secretKeyRef: 'keys' } } }, 'Secret ml/keys'],
    ['is reported alone where it is in another namespace', 'infra/keys', { Dataset: option('keys') }, 'Secret infra/keys'],
  ])('%s', (_, name, specs, expected) => expect(missingText({ name }, 'ml', specs)).toBe(expected));
  test('that lacks a key is reported with that key, and the field that names it', () => {
    const specs = { Dataset: { sharedEncryptOptions: [option('keys'), { valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } }] } };
    expect(missingText({ name: 'keys', keys: ['token'] }, 'ml', specs)).toBe(
      'key token of Secret ml/keys of spec.sharedEncryptOptions[1].valueFrom.secretKeyRef in the Dataset',
    );
  });
  test('that lacks many keys is reported with some of them: each is looked for in all that a tenant wrote', () => {
    let looks = 0;
    const keys = Array.from({ length: 2000 }, (_, i) => `k${i}`);
    const options = keys.map((key) => ({
      valueFrom: {
        get secretKeyRef() {
          looks++;
          return { name: 'keys', key };
        },
      },
    }));
    expect(missingText({ name: 'keys', keys: keys.toReversed() }, 'ml', { Dataset: { mounts: [{ encryptOptions: options }] } })).toMatch(
      /^key k1999 of Secret ml\/keys of spec.mounts\[0\].encryptOptions\[1999\].* and 1995 more$/,
    );
    expect(looks).toBeLessThan(20_000);
  });
});
