/** The script of a DataBackup, as bash runs it with what the kubelet passes, and a stub for alluxio that writes as a master does. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Manifest } from '../../../src/api/index.ts';
import type { BackupSpec } from '../../../src/constructs/index.ts';
import { backingUp } from '../../support/operations.ts';
import { container, given } from '../alluxio/given.ts';

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}
const find = (manifests: readonly Manifest[], kind: string) => manifests.find((each) => each.kind === kind) as Manifest;
const containerOf = (manifests: readonly Manifest[]) =>
  (find(manifests, 'Job')['spec'] as { template: { spec: { containers: [Container] } } }).template.spec.containers[0];
const CLAIM: BackupSpec = { backupPath: 'pvc://backups/alluxio' };

/** Names that a user may write between slashes, and that no shell, kubelet or program may understand otherwise. */
const HOSTILE = [
  '/a b',
  '/-rf',
  '/--',
  "/it's",
  '/"',
  '/$HOME',
  '/$(DATASET_NAME)',
  '/$$(DATASET_NAME)',
  '/`id`',
  '/*',
  '/a:b',
  '/\\n',
  '/;touch x',
];

describe('the script', () => {
  let folder: string;
  let stub: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-backup-'));
    stub = join(folder, 'alluxio');
    writeFileSync(
      stub,
      `#!/bin/bash
n=$(ls "${folder}/calls" | wc -l)
printf '%s\\0' "$@" > "${folder}/calls/$n"
all="$*"
options=$ALLUXIO_JAVA_OPTS
. "${folder}/answers"
case $all in
  fsadmin*)
    mkdir -p "$3"
    file=$3/alluxio-backup-2026-11-22-1795317244098.gz
    echo metadata > "$file"
    touch "$file.complete" ;;
  *) cat "${folder}/count" ;;
esac
`,
    );
    chmodSync(stub, 0o755);
    // As a real one printed it.
    writeFileSync(
      join(folder, 'count'),
      'File Count               Folder Count             Folder Size\n12                       3                        345             \n',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    for (const each of ['calls', 'work', 'journal', 'pvc', 'host']) {
      rmSync(join(folder, each), { recursive: true, force: true });
      mkdirSync(join(folder, each));
    }
  });

  /** @param answers what the stub does first, in bash; `$all` are its arguments */
  function run(spec: BackupSpec, answers = '') {
    const manifests = backingUp(spec);
    const { args, env } = containerOf(manifests);
    const values = Object.fromEntries(env.map(({ name, value = 'node-2' }) => [name, value]));
    const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expanded(value, values)]));
    writeFileSync(join(folder, 'answers'), answers);
    const last = join(folder, 'last');
    rmSync(last, { force: true });
    const script = (find(manifests, 'ConfigMap')['data'] as Record<string, string>)['databackup.sh'] ?? '';
    const file = join(folder, 'databackup.sh');
    const target = folder + expanded(args[0] ?? '', values);
    writeFileSync(
      file,
      script
        .replaceAll('/journal/', `${folder}/journal/`)
        .replaceAll('/tmp/progress', join(folder, 'progress'))
        .replaceAll('/dev/termination-log', last),
    );
    const { status, stderr } = spawnSync('bash', [file, target, ...args.slice(1)], {
      cwd: join(folder, 'work'),
      encoding: 'utf8',
      env: { ALLUXIO_JAVA_OPTS: '-Dx=${ALLUXIO_CLIENT_HOSTNAME}', ...given, PATH: `${folder}:/usr/bin:/bin` },
      timeout: 60_000,
    });
    // For every value, only the stub may have run.
    expect(readdirSync(join(folder, 'work')), stderr).toEqual([]);
    const calls = readdirSync(join(folder, 'calls')).map((name) =>
      readFileSync(join(folder, 'calls', name), 'utf8')
        .split('\0')
        .slice(0, -1),
    );
    return { code: status, stderr, calls, target, infos: existsSync(last) ? readFileSync(last, 'utf8') : undefined };
  }
  /** As the kubelet does it: `$(NAME)` is the variable if there is one, and `$$` is `$`. */
  const expanded = (text: string, env: Readonly<Record<string, string>>): string =>
    text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (found, name: string | undefined) => (name === undefined ? '$' : (env[name] ?? found)));
  const written = (target: string) =>
    Object.fromEntries(readdirSync(target).map((name) => [name, readFileSync(join(target, name), 'utf8')]));

  const DONE = 'Progress=3 of 3 steps\nFiles=12\n';
  const FILES = {
    'metadata-backup-demo-ml.gz': 'metadata\n',
    'demo-ml.yaml': 'dataset: demo\nnamespace: ml\nufstotal: 345\nfilenum: 12\n',
  };
  test.each(HOSTILE)('writes both files to %j of a claim, and says where they are', (path) => {
    const { code, stderr, calls, target, infos } = run({ backupPath: `pvc://backups${path}` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(target).toBe(`${folder}/pvc${path}`);
    expect(written(target)).toEqual(FILES);
    expect(calls).toEqual([
      ['fsadmin', 'backup', expect.stringMatching(/\/journal\/backup\.\w{6}$/), '--local'],
      ['fs', 'count', '/'],
    ]);
    expect(infos).toBe(`${DONE}BackupLocationPath=pvc://backups${path}\nBackupLocationNodeName=NA\n`);
    expect(readdirSync(join(folder, 'journal'))).toEqual([]);
  });
  test('writes to a directory of the node, and says which node it is', () => {
    const { code, infos, target } = run({ backupPath: 'local:///data/a/' });
    expect(code).toBe(0);
    expect(written(target)).toEqual(FILES);
    expect(infos).toBe(`${DONE}BackupLocationPath=local:///data/a/\nBackupLocationNodeName=node-2\n`);
  });
  test('replaces its progress file, so that the controller never reads half of it', () => {
    expect(run(CLAIM, `[[ $all != fsadmin* ]] || ln -f "\${0%/*}/progress" "\${0%/*}/before"`).code).toBe(0);
    expect(readFileSync(join(folder, 'before'), 'utf8')).toBe('Progress=step 1 of 3\nStep=the master writes its metadata\n');
  });
  test('writes what a restore reads', () => {
    const { backupPath = '' } = CLAIM;
    const restored = container(given({ dataset: { dataRestoreLocation: { path: backupPath } } }), 'master', 'alluxio-master');
    const { target } = run(CLAIM);
    const { value: file = '' } = restored.env.find(({ name }) => name === 'JOURNAL_BACKUP') ?? {};
    expect(`${folder}${file}`).toBe(`${target}/metadata-backup-demo-ml.gz`);
    expect(existsSync(`${folder}${file}`)).toBe(true);
  });
  test('removes what a backup that was killed has left', () => {
    mkdirSync(join(folder, 'journal/backup.abcdef'));
    mkdirSync(join(folder, 'journal/FileSystemMaster'));
    expect(run(CLAIM).code).toBe(0);
    expect(readdirSync(join(folder, 'journal'))).toEqual(['FileSystemMaster']);
  });
  test.each([
    ['the master writes none', '[[ $all != fsadmin* ]] || { echo "backup in progress" >&2; exit 1; }', 'backup in progress'],
    ['another master leads by now', '[[ $all != fsadmin* ]] || exit 0', 'another one leads by now'],
    ['files are not counted', '[[ $all != *count* ]] || exit 3', ''],
    ['there is no count', '[[ $all != *count* ]] || { echo "no answer"; exit 0; }', 'did not say how many files there are: no answer'],
  ])('leaves the backup before as it was when %s', (_, answers, text) => {
    expect(run(CLAIM).code).toBe(0);
    const { code, stderr, infos, target } = run(CLAIM, answers);
    expect(code).not.toBe(0);
    expect(stderr).toContain(text);
    expect(infos).toBeUndefined();
    expect(written(target)).toEqual(FILES);
    expect(readdirSync(join(folder, 'journal'))).toEqual([]);
  });
  test('names a directory that it cannot write to', () => {
    writeFileSync(join(folder, 'pvc/alluxio'), 'a file');
    const { code, stderr, calls } = run(CLAIM);
    expect(code).toBe(1);
    expect(stderr).toContain('cannot write to pvc://backups/alluxio');
    expect(calls).toEqual([]);
  });
});
