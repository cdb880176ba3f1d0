import { describe, expect, test } from 'vitest';
import { parseMountTemplate } from '../../src/api/mount-template.ts';

const refusal = (text: string) => {
  try {
    parseMountTemplate(text, 'ThinRuntimeProfile p');
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

/** Nine lines that would be ten million texts. */
const bomb = [...'abcdefgh']
  .map((name, i, all) => `${name}: &${name} [${Array.from({ length: 9 }, () => (i === 0 ? 'x' : `*${all[i - 1]}`)).join(', ')}]`)
  .join('\n');

describe('a mount template', () => {
  test('may be YAML or JSON', () => {
    const yaml = 'program: s3fs\nargs:\n- ${mount.bucket}\n- 1\nenv: {A: "${secret.b}"}\n';
    expect(parseMountTemplate(yaml)).toEqual(
      parseMountTemplate('{"program":"s3fs","args":["${mount.bucket}","1"],"env":{"A":"${secret.b}"}}'),
    );
    expect(parseMountTemplate(yaml)).toEqual({
      program: 's3fs',
      args: [{ text: [{ source: 'mount.bucket', name: 'mount.bucket' }] }, { text: ['1'] }],
      env: { A: [{ source: 'secret.b', name: 'secret', key: 'b' }] },
      files: {},
    });
  });
  test.each([
    ['program: [', 'ThinRuntimeProfile p: at character 10: expected YAML or JSON, found'],
    ['program: *x', 'ThinRuntimeProfile p: template: expected YAML or JSON, found Unresolved alias'],
    [bomb, 'ThinRuntimeProfile p: template: expected YAML or JSON, found Excessive alias count'],
    ['- a', 'template: expected an object, found ["a"]'],
    ['args: []', 'program: expected the name or absolute path of a program, without references, found nothing'],
    ['program: -rf', 'program: expected the name or absolute path of a program'],
    ['program: "${mount.bucket}"', 'program: expected the name or absolute path of a program'],
    ['{program: a, arguments: []}', 'arguments: expected a known field (program, each, onChange, args, env, files), found "arguments"'],
    ['{program: a, each: mount}', 'each: expected mounts, or nothing, found "mount"'],
    ['{program: a, onChange: restart}', 'onChange: expected remount, or nothing, found "restart"'],
    ['{program: a, args: x}', 'args: expected a list, found "x"'],
    ['{program: a, args: [[x]]}', 'args[0]: expected an object, found ["x"]'],
    ['{program: a, args: [{if: x}]}', 'args[0].if: expected a known field (when, each, except, args), found "if"'],
    ['{program: a, args: [{each: options, args: []}]}', 'args[0]: expected a text, when: <reference>, each: mounts or each: mount.options'],
    ['{program: a, args: ["${mount.bukcet}"]}', 'args[0]: expected a reference (did you mean mount.bucket?), found "mount.bukcet"'],
    ['{program: a, args: ["${mount.bucket"]}', 'args[0]: expected a } after each ${, or $${ for the text itself, found "${mount.bucket"'],
    ['{program: a, args: ["a\\0b"]}', 'args[0]: expected a text without NUL'],
    ['{program: a, args: ["--key=${secret.k}"]}', 'args: expected no ${secret.…}, since every process sees arguments'],
    ['{program: a, args: [{when: readOnly, args: ["${secret.k}"]}]}', 'args: expected no ${secret.…}'],
    ['{program: a, args: ["${file.passwd}"]}', 'files: expected a file "passwd", since ${file.passwd} refers to it, found nothing'],
    ['{program: a, files: {../x: y}}', 'files.../x: expected a file name of letters'],
    ['{program: a, env: {A-B: y}}', 'env.A-B: expected the name of an environment variable'],
    ['{program: a, env: {A: [y]}}', 'env.A: expected a text, found ["y"]'],
    ['{program: a, env: {A: "${env.B;id}"}}', 'env.A: expected a reference'],
  ])('%s is refused: %s', (text, message) => expect(refusal(text)).toContain(message));
  test('is refused if it is too deep for the parser', () => {
    expect(refusal('['.repeat(50_000))).toContain('ThinRuntimeProfile p: ');
  });
  test('is refused with all that is wrong at once', () =>
    expect(refusal('{args: ["${a}", "${b}"], env: 1}').match(/expected/g)).toHaveLength(4));
});
