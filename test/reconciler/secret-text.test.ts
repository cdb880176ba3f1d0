import { describe, expect, test } from 'vitest';
import { secretText } from '../../src/reconciler/secret-text.ts';

const option = (name: string) => ({ name: 'key', valueFrom: { secretKeyRef: { name, key: 'k' } } });

describe('a Secret in a message', () => {
  test.each<[string, string, Record<string, unknown>, string]>([
    [
      'is told with the field of the Dataset that names it',
      'keys',
      { Dataset: { mounts: [{ encryptOptions: [option('other')] }, { encryptOptions: [option('keys')] }] } },
      'ml/keys of spec.mounts[1].encryptOptions[0].valueFrom.secretKeyRef in the Dataset',
    ],
    [
      'is told with the field of the runtime that names it',
      'keys',
      { Dataset: {}, ThinRuntime: { fuse: { env: [option('keys')] } } },
      'ml/keys of spec.fuse.env[0].valueFrom.secretKeyRef in the ThinRuntime',
    ],
    ['is told alone where a profile names it', 'keys', { Dataset: { options: { secretKeyRef: 'keys' } } }, 'ml/keys'],
    ['is told alone where it is in another namespace', 'infra/keys', { Dataset: option('keys') }, 'infra/keys'],
  ])('%s', (_, name, specs, expected) => expect(secretText(name, 'ml', specs)).toBe(expected));
});
