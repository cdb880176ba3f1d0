import { describe, expect, test, vi } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { run } from '../../src/cli/program.ts';

describe('help', () => {
  const parts = { runtimes: async () => [], resources: async () => [] };
  async function help(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
    let text = '';
    const spies = (['stdout', 'stderr'] as const).map((stream) =>
      vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
        text += String(chunk);
        return true;
      }),
    );
    const code = await run(args, parts).finally(() => spies.forEach((spy) => spy.mockRestore()));
    return { code, text };
  }
  test.each(['synth', 'diff', 'crds', 'reconcile', 'new-runtime'])('of %s has examples and exit codes', async (name) => {
    const { code, text } = await help(name, '--help');
    expect(code).toBe(0);
    expect(text).toMatch(new RegExp(`Examples:\\n  .*sluice ${name}`));
    expect(text).toContain('\nExit codes:\n  0 ');
  });
  test.each(['synth', 'diff', 'reconcile'])('of %s names every variable that a runtime reads', async (name) => {
    const { text } = await help(name, '--help');
    expect(runtimes.flatMap(({ env }) => env).filter((variable) => !text.includes(variable))).toEqual([]);
  });
  test.each([
    [['snyth'], "sluice: unknown command 'snyth'\n(Did you mean synth?)"],
    [['synth'], "sluice: missing required argument 'files'"],
    [['synth', '--fact', 'f', 'x'], "sluice: unknown option '--fact'\n(Did you mean --facts?)"],
    [['crds', '-o', 'xml'], "sluice: option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are yaml, json."],
  ])('is offered for %j', async (args, message) => {
    const { code, text } = await help(...args);
    expect({ code, text }).toEqual({ code: 2, text: `${message}\n(--help lists commands and options)\n` });
  });
});
