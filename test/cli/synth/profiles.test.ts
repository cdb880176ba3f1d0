/** Every profile of examples/profiles: what it runs for the Dataset beside it, as its page says, and for Datasets that mean harm. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { InvalidSpec } from '../../../src/api/errors.ts';
import { annotation, type DatasetSpec, type ThinRuntimeProfileSpec } from '../../../src/api/index.ts';
import { clientsOf, mountScript, parseFuseConfig, parseMountTemplate } from '../../../src/fuse/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { objectsIn, secret } from '../../support/objects.ts';
import { profiles, profileText } from '../../support/profiles.ts';
import { sluice } from '../run.ts';

interface Config {
  readonly mounts: readonly { readonly mountPoint: string; readonly name?: string; readonly options?: Readonly<Record<string, string>> }[];
  readonly targetPath: string;
}

test('there are profiles for', () => expect(profiles.toSorted()).toEqual(NAMES));
const NAMES = ['3fs', 'cephfs', 'cubefs', 'curvine', 'gcsfuse', 'glusterfs', 'nfs', 'rclone', 's3', 'sshfs'];

describe.each(profiles)('%s', async (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-profiles-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const [profile] = objectsIn(profileText(name, 'profile.yaml'));
  const [dataset] = objectsIn(profileText(name, 'dataset.yaml'));
  const template = parseMountTemplate(profile?.metadata.annotations?.[annotation.mountTemplate] ?? '', name);
  const { mounts = [] } = (dataset?.['spec'] ?? {}) as DatasetSpec;
  const keys = (mounts[0]?.encryptOptions ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
  const made = await synthesized(name, keys);
  const config = JSON.parse(
    made.find(({ kind, data }) => kind === 'ConfigMap' && data?.['config.json'])?.data?.['config.json'] ?? '',
  ) as Config;
  const scriptOf = (of: object) => mountScript(clientsOf(template, parseFuseConfig(JSON.stringify(of)))).text;

  test('runs what its page says', () => {
    const [, shown] = /^```text\n(.*?)\n```$/ms.exec(profileText(name, 'README.md')) ?? [];
    const script = scriptOf(config);
    expect(script.slice(script.lastIndexOf('\nexec ') + 1).trimEnd()).toBe(shown);
  });
  test('has a page that says who is trusted', () => {
    const [, said = ''] = /^- \*\*Who is trusted:\*\* (.*)$/m.exec(profileText(name, 'README.md')) ?? [];
    expect(said).toMatch(/^the author of a Dataset, who names the /);
  });
  test('names the type of its mounts, and an image', () =>
    expect(profile?.['spec'] as ThinRuntimeProfileSpec).toMatchObject({
      fileSystemType: expect.stringMatching(/./) as string,
      fuse: { image: expect.stringMatching(/./) as string, imageTag: expect.stringMatching(/^(?!latest$)./) as string },
    }));

  const [mount = { mountPoint: '' }] = config.mounts;
  const [, scheme = '', host = '', path = ''] = /^([^:]+:\/\/)?([^/]*)(.*)$/.exec(mount.mountPoint) ?? [];
  const withMount = (changed: object): object => ({ ...config, mounts: [{ ...mount, ...changed }] });
  /** Every place of the Dataset where its author writes a text. */
  const places: readonly (readonly [string, (text: string) => object])[] = [
    ['the host', (text) => withMount({ mountPoint: `${scheme}${text}${path}` })],
    ['the path', (text) => withMount({ mountPoint: `${scheme}${host}/${text}` })],
    ['the name', (text) => withMount({ name: text })],
    ...Object.entries({ ...Object.fromEntries(optional(template).map((key) => [key, ''])), ...mount.options }).map(
      ([key, value]) =>
        [
          `option ${key}`,
          (text: string) => (value.startsWith('/etc/fluid/secrets/') ? config : withMount({ options: { ...mount.options, [key]: text } })),
        ] as const,
    ),
  ];
  const client = join(folder, 'client');
  mkdirSync(join(folder, 'bin'));
  // Where a template runs a script of its own, that is run too.
  symlinkSync(client, join(folder, 'bin/fuse-nfs'));
  writeFileSync(client, `#!/bin/sh\nprintf '%s\\0' "$@" > "${folder}/argv"\n`, { mode: 0o755 });
  /** Runs the script with a program in place of the client, and with a text in place of all secrets; returns its arguments. */
  const argumentsFor = (of: object, secretText: string): readonly string[] => {
    const text = scriptOf({ ...of, targetPath: join(folder, 'mnt') }).replaceAll('/etc/fluid/secrets/', `${folder}/secrets/`);
    for (const { name: from, key } of keys) {
      const file = join(folder, 'secrets', from ?? '', key ?? '');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, secretText);
    }
    const { status, stderr } = spawnSync('sh', ['-c', text.replace(/^exec (?!sh )\S+/m, `exec ${client}`)], {
      cwd: folder,
      env: { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, TMPDIR: folder },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return readFileSync(join(folder, 'argv'), 'utf8').split('\0').slice(0, -1);
  };
  const usual = argumentsFor(config, 'secret').length;
  test.each(places)('takes %s as data', (_, changed) => {
    for (const text of HOSTILE) {
      try {
        const found = argumentsFor(changed(text), text);
        // An option that the Dataset beside the profile does not have may be some arguments more.
        expect(found.length, text).toBeGreaterThanOrEqual(usual);
        expect(
          found.filter((argument) => /^(hacked|-oProxyCommand)/.test(argument)),
          text,
        ).toEqual([]);
      } catch (error) {
        // A name that a client could take for something else is rejected.
        if (!(error instanceof InvalidSpec)) throw error;
      }
      expect(existsSync(join(folder, 'hacked')), text).toBe(false);
    }
  });
});

const HOSTILE = [
  '$(touch hacked)',
  '`touch hacked`',
  '"; touch hacked; "',
  "'; touch hacked; '",
  'a b\ntouch hacked\n',
  ' hacked ',
  '[-oProxyCommand=touch hacked]',
  '-oProxyCommand=touch hacked',
  'a,ProxyCommand=touch hacked',
];

/** Options that the template asks for, whether the Dataset has them or not. */
const optional = (template: object): readonly string[] =>
  [...JSON.stringify(template).matchAll(/"name":"mount\.options","[^}]*?"key":"([\w-]+)"/g)].map(([, key = '']) => key);

type Made = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** Sluice's manifests for profile and Dataset, with Secrets that have the keys. */
async function synthesized(name: string, keys: readonly { readonly name?: string; readonly key?: string }[]): Promise<readonly Made[]> {
  const secrets = Map.groupBy(keys, (key) => key.name ?? '');
  const more = [...secrets].map(([of, its]) => secret(of, Object.fromEntries(its.map(({ key = '' }) => [key, 'x']))));
  const input = [...more.map((each) => JSON.stringify(each)), profileText(name, 'profile.yaml'), profileText(name, 'dataset.yaml')].join(
    '\n---\n',
  );
  const { code, stdout, stderr } = await sluice(['synth', '-', '-o', 'json'], { input, env: { SLUICE_IMAGE: 'example.io/sluice:1' } });
  if (code !== 0) throw new Error(stderr);
  const printed = JSON.parse(stdout) as readonly Made[] | { readonly items: readonly Made[] };
  return 'items' in printed ? printed.items : printed;
}
