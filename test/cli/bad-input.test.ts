/** Every file of bad/ says in comments, `#!` at the end of a line, which messages that line gives; together they give these and no others. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, sluice } from './run.ts';

const files = globSync('test/cli/bad/*.yaml', { cwd: root }).toSorted();
const expected = files.flatMap((file) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, i) =>
      line
        .split(' #! ')
        .slice(1)
        .map((message) => ({ file, line: i + 1, message })),
    ),
);
const HINT = 'Objects that are elsewhere can be given with --facts FILE, or looked up with --cluster.';

describe('bad input', async () => {
  const [asText, asJson, ofDiff] = await Promise.all([
    sluice(['synth', ...files]),
    sluice(['synth', '-o', 'json', ...files]),
    sluice(['synth', '--facts', 'test/cli/bad/syntax.yaml', 'examples/thin.yaml']),
  ]);

  test.each(files)('of %s is told line by line, all at once', (file) => {
    const told = asText.stderr.split('\n').filter((line) => line.startsWith(`${file}:`));
    expect(told.toSorted()).toEqual(
      expected
        .filter((each) => each.file === file)
        .map(({ line, message }) => `${file}:${line}: ${message}`)
        .toSorted(),
    );
  });
  test('is told in the order of the files and lines, with what may help, and nothing is printed', () => {
    const { code, stdout, stderr } = asText;
    const lines = stderr.trimEnd().split('\n');
    expect(lines.at(-1)).toBe(HINT);
    const places = lines.slice(0, -1).map((line) => line.split(':').slice(0, 2));
    expect(places.map(([file, line]) => `${file} ${line?.padStart(4, '0')}`)).toEqual(
      expected.map(({ file, line }) => `${file} ${String(line).padStart(4, '0')}`),
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
  test('is told as JSON with -o json', () => {
    const { errors } = JSON.parse(asJson.stderr) as { errors: readonly Record<string, unknown>[] };
    expect(errors.map(({ file, line }) => ({ file, line }))).toEqual(expected.map(({ file, line }) => ({ file, line })));
    expect(errors.find(({ path }) => path === 'spec.replicas')).toEqual({
      file: 'test/cli/bad/fields.yaml',
      line: 15,
      column: 7,
      object: 'JuiceFSRuntime fields/demo',
      path: 'spec.replicas',
      expected: 'a 32-bit integer',
      found: '"three"',
    });
    expect(asJson).toMatchObject({ code: 2, stdout: '' });
  });
  test('among the facts is told as well', () => {
    expect(ofDiff.stderr).toContain('test/cli/bad/syntax.yaml:5: expected YAML or JSON');
    expect(ofDiff.code).toBe(2);
  });
});
