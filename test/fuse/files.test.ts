import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readFuseConfig, secretText } from '../../src/fuse/index.ts';
import { minio } from './given.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [newer, older] = [join(folder, 'config/config.json'), join(folder, 'config.json')] as const;

describe('config.json', () => {
  test('is found where newer images look, or else where older ones do', async () => {
    await expect(readFuseConfig([newer, older])).rejects.toThrow(`config.json: expected a file ${newer} or ${older}, found none`);
    writeFileSync(older, JSON.stringify({ ...minio, targetPath: '/older' }));
    expect(await readFuseConfig([newer, older])).toMatchObject({ file: older, config: { targetPath: '/older' } });
    mkdirSync(join(folder, 'config'));
    writeFileSync(newer, JSON.stringify(minio));
    expect(await readFuseConfig([newer, older])).toMatchObject({ file: newer, config: { targetPath: minio.targetPath } });
  });
  test('that cannot be read is no reason to look elsewhere', async () =>
    await expect(readFuseConfig([folder, older])).rejects.toMatchObject({ code: 'EISDIR' }));
});

describe('a secret', () => {
  test('is the text of its file without newlines at the end', async () => {
    writeFileSync(join(folder, 'key'), ' a\nb \n\n');
    expect(await secretText({ file: join(folder, 'key') })).toBe(' a\nb ');
  });
  test('may stand in config.json itself', async () => expect(await secretText({ option: 'key', value: 'a\n' })).toBe('a'));
});
