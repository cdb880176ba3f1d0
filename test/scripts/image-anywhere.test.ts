/** Where the image can be built: on any Debian, and elsewhere by a Dockerfile with a stage of Debian. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sitesIn } from '../../scripts/image/debian.ts';
import { root } from '../cli/run.ts';

test('a machine without the programs of Debian is told so in one line, with the way that it has', () => {
  const out = mkdtempSync(join(tmpdir(), 'sluice-image-'));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/image.ts', '--out', out], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: out },
  });
  rmSync(out, { recursive: true });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'image: expected apt-get, dpkg-deb, flock, which Debian has; elsewhere: docker build -f scripts/image/Dockerfile -t <image> .\n',
  });
});

test('a mirror with suites of another Debian has those of Debian 12', () => {
  const mirror = 'http://mirror.example/debian';
  const sites = { bookworm: mirror, 'bookworm-security': `${mirror}-security` };
  expect(sitesIn(`trixie ${mirror}\ntrixie-security ${mirror}-security\n`)).toEqual(sites);
  expect(sitesIn(`trixie http://other.example/debian\nbookworm ${mirror}\nbookworm-security ${mirror}-security\n`)).toEqual(sites);
  expect(() => sitesIn(`noble http://mirror.example/ubuntu\n`)).toThrow(
    'found no bookworm, no bookworm-security; name a mirror by DEBIAN_MIRROR',
  );
});

test('both Dockerfiles make the image that the script makes', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const settings = (file: string) =>
    read(file)
      .split('\n')
      .filter((line) => /^(ENV|USER|ENTRYPOINT) /.test(line));
  expect(settings('scripts/image/Dockerfile')).toEqual(settings('Dockerfile'));
  expect(settings('Dockerfile')).toHaveLength(3);
  // The stage has the Debian whose packages the image has.
  expect(read('scripts/image/Dockerfile')).toContain('node:24-bookworm AS build');
});
