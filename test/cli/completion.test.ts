/** `sluice completion`, as the shells themselves complete. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/program.ts';
import { canRun } from '../support/can-run.ts';
import { kubectlFolder } from '../support/kubectl.ts';
import { root, sluice } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const script = async (shell: string): Promise<string> => {
  const { code, stdout, stderr } = await sluice(['completion', shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};
const names = COMMANDS.map(({ name }) => name).toSorted();
/** Words of a line up to the cursor, and what is offered there. */
const offered: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['sluice ', names],
  ['sluice sy', ['synth']],
  ['sluice synth --output ', ['json', 'yaml']],
  ['sluice synth --output=j', ['json']],
  ['sluice explain -o t', ['text']],
  ['sluice install --replic', ['--replicas']],
  ['sluice completion f', ['fish']],
  ['sluice takeover pl', ['plan']],
];

describe('bash completes', () => {
  beforeAll(async () => writeFileSync(join(folder, 'sluice.bash'), await script('bash')));
  test.each(offered)('%s', (line, words) => {
    // As readline splits a line: an equals sign is a word.
    const typed = line.split(/ |(=)/).filter((word) => word !== undefined);
    const call = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const said = execFileSync('bash', ['-c', call, join(folder, 'sluice.bash'), ...typed], { encoding: 'utf8' });
    expect(said.trim().split('\n').toSorted()).toEqual(words);
  });
  test('and registers itself for sluice and for the plugin of kubectl', () => {
    const call = 'source "$0"; complete -p sluice kubectl-sluice';
    expect(
      execFileSync('bash', ['-c', call, join(folder, 'sluice.bash')], { encoding: 'utf8' })
        .trim()
        .split('\n'),
    ).toEqual(['complete -o bashdefault -o default -F _sluice sluice', 'complete -o bashdefault -o default -F _sluice kubectl-sluice']);
  });
});

describe.skipIf(!canRun('completion of fish', existsSync('/usr/bin/fish') ? undefined : 'no fish'))('fish completes', () => {
  beforeAll(async () => writeFileSync(join(folder, 'sluice.fish'), await script('fish')));
  test.each(offered)('%s', (line, words) => {
    const call = `source ${join(folder, 'sluice.fish')}; complete -C "${line}"`;
    const env = { ...process.env, HOME: folder };
    const said = execFileSync('/usr/bin/fish', ['--no-config', '-c', call], { encoding: 'utf8', cwd: folder, env });
    const found = said
      .trim()
      .split('\n')
      .map((each) => (each.split('\t')[0] ?? '').replace(/^--output=/, ''));
    expect(found.toSorted()).toEqual(words);
  });
});

describe.skipIf(!canRun('completion of zsh', existsSync('/usr/bin/zsh') ? undefined : 'no zsh'))('zsh completes', () => {
  beforeAll(async () => writeFileSync(join(folder, '_sluice'), await script('zsh')));
  test.each([
    ['sluice sy', 'sluice synth '],
    ['sluice synth --output=js', 'sluice synth --output=json '],
    ['sluice install --replic', 'sluice install --replicas='],
    ['sluice completion f', 'sluice completion fish '],
  ])('%s', async (line, whole) => {
    const start = `fpath=("${folder}" $fpath); autoload -U compinit; compinit -u -d "${folder}/dump"`;
    // A widget that writes down the line after a Tab.
    const program = `zmodload zsh/zpty; zpty z zsh -f -i
zpty -w z '${start}; show() { print -r -- "$BUFFER" > "${folder}/line"; }; zle -N show; bindkey "^X" show; : > "${folder}/ready"'
while [ ! -e "${folder}/ready" ]; do sleep 0.1; done
rm -f "${folder}/line"; zpty -w -n z $'${line}\\t\\x18'
while [ ! -s "${folder}/line" ]; do sleep 0.1; zpty -r -t z _ || :; done`;
    const child = spawn('/usr/bin/zsh', ['-f', '-c', program], { env: { ...process.env, HOME: folder, TERM: 'xterm' }, timeout: 60_000 });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(readFileSync(join(folder, 'line'), 'utf8')).toBe(`${whole}\n`);
    rmSync(join(folder, 'ready'));
  });
});

test('an unknown shell is refused', async () => {
  expect(await sluice(['completion', 'tcsh'])).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh, fish') as string });
});

const kubectl = kubectlFolder();
test.skipIf(!canRun('the plugin of kubectl', kubectl === undefined ? 'there is no kubectl' : undefined))(
  'kubectl runs kubectl-sluice as its plugin',
  () => {
    // As npm links it.
    const program = `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'src/cli/main.ts')}" "$@"\n`;
    writeFileSync(join(folder, 'kubectl-sluice'), program, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
    const said = execFileSync(join(kubectl ?? '', 'kubectl'), ['sluice', 'completion', 'bash'], { encoding: 'utf8', env });
    expect(said).toContain('complete -o bashdefault');
  },
);
