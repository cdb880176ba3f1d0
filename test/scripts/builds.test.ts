/** Builds of the programs for tests and the demo, by a stand-in for Go. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildJobs } from '../../harness/tools/build.ts';
import { type Tool, toolPath, wantedTools } from '../../harness/tools/tools.ts';

const never = new AbortController().signal;
const [etcd] = wantedTools('control plane') as readonly [Tool];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-builds-'));
  vi.stubEnv('SLUICE_CACHE', join(folder, 'cache'));
  vi.stubEnv('KUBEBUILDER_ASSETS', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Names two packages, does what the script says, and writes the program. */
function job(script: string) {
  const path = join(folder, 'go');
  const text = `#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf 'go: downloading go.etcd.io/etcd v3\\ngo.etcd.io/etcd/a\\ngo.etcd.io/etcd/b\\n' >&2
${script}
echo program > "$2"
`;
  writeFileSync(path, text, { mode: 0o755 });
  const [build] = buildJobs({ path, env: { FOLDER: folder } }, [etcd]);
  if (!build) throw new Error('expected one build');
  return build;
}
const left = (): readonly string[] => readdirSync(join(folder, 'cache/tools'), { recursive: true, encoding: 'utf8' }).toSorted();

describe('a build', () => {
  test('says how far it is, stands behind other work, and is not made twice', async () => {
    const said: [number, string][] = [];
    const report = (...words: [number, string]) => said.push(words);
    expect(await job('nice > "$FOLDER/nice"').run(report, never)).toBe('0 MB');
    expect(said).toEqual([
      [0, 'loading modules'],
      [0, 'downloading go.etcd.io/etcd'],
      [1 / etcd.packages, `package 1 of about ${etcd.packages}`],
      [2 / etcd.packages, `package 2 of about ${etcd.packages}`],
    ]);
    expect(Number(readFileSync(join(folder, 'nice'), 'utf8'))).toBe(Math.max(10, getPriority()));
    await job('exit 1').run(report, never);
  });

  test('ends with Ctrl-C, leaves nothing, and can be made again', async () => {
    const interrupt = new AbortController();
    const building = job(`(trap 'touch "$FOLDER/ended"; exit 1' TERM; while :; do sleep 0.1; done) &
echo half > "$2"
touch "$GOTMPDIR/work"
touch "$FOLDER/begun"
while :; do sleep 0.1; done`).run(() => {}, interrupt.signal);
    await vi.waitFor(() => expect(existsSync(join(folder, 'begun'))).toBe(true), { timeout: 20_000 });
    interrupt.abort(new Error('interrupted'));
    await expect(building).rejects.toThrow('interrupted');
    expect(existsSync(join(folder, 'ended'))).toBe(true);
    expect(left().filter((name) => name.includes('/') || name.includes('lock'))).toEqual([]);
    await job('').run(() => {}, never);
    expect(existsSync(toolPath(etcd))).toBe(true);
  });

  test('removes what one left that was killed', async () => {
    mkdirSync(`${toolPath(etcd)}.new/work`, { recursive: true });
    writeFileSync(`${toolPath(etcd)}.new/etcd`, 'half');
    await job('').run(() => {}, never);
    expect(readdirSync(dirname(toolPath(etcd)))).toEqual(['etcd']);
  });

  test('of another version of Kubernetes has a module that is written first', async () => {
    vi.stubEnv('SLUICE_TEST_KUBERNETES', '1.29');
    const [, apiServer] = wantedTools('control plane') as readonly [Tool, Tool];
    const own = join(folder, 'own.mod');
    writeFileSync(own, 'go 1.21\nrequire k8s.io/x v1.0.0\nrequire (\n\tk8s.io/api v0.0.0\n)\n');
    const path = join(folder, 'go');
    const script = `case "$1" in
mod) [ "$4" = k8s.io/kubernetes@v1.29.15 ] && echo '{"GoMod": "${own}"}' ;;
build) grep -q 'k8s.io/api v0.29.15' go.mod || exit 1; echo "$*" > "$FOLDER/flags"; while [ "$1" != -o ]; do shift; done; echo program > "$2" ;;
esac`;
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    for (const build of buildJobs({ path, env: { FOLDER: folder } }, [apiServer])) await build.run(() => {}, never);
    expect(readFileSync(join(folder, 'flags'), 'utf8')).toMatch(
      /^build -mod=mod .*gitVersion=v1\.29\.15 .* k8s\.io\/kubernetes\/cmd\/kube-apiserver\n$/,
    );
    expect(readdirSync(dirname(toolPath(apiServer))).toSorted()).toEqual(['kube-apiserver', 'module']);
  });

  test('that fails says what Go said', async () => {
    await expect(job('echo "a.go:1: no such thing" >&2; exit 2').run(() => {}, never)).rejects.toThrow(
      /^go build of go\.etcd\.io\/etcd\/server\/v3 in .*tools\/etcd ended with code 2:\n(.*\n)*a\.go:1: no such thing$/,
    );
  });
});
