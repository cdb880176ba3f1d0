/** Fluid's end-to-end flows: Python programs in ./test/prow of its checkout. */
import { execFile } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FlowResult {
  /** As `common/cron_dataload`. */
  readonly name: string;
  readonly ok: boolean;
  readonly passed: number;
  readonly steps: number;
  readonly seconds: number;
  /** Why it stopped. */
  readonly problem?: string;
}

export interface FlowOptions {
  /** ./test/prow of Fluid's checkout. */
  readonly folder: string;
  /** Variables of the programs. */
  readonly env: NodeJS.ProcessEnv;
  /** Folder for their outputs. */
  readonly logs: string;
}

/** For one flow; the longest waits 60 s for nothing to go wrong, and for two runs of a schedule. */
const LIMIT_MS = 600_000;
/** Debian's, for which pip has chosen Kubernetes' client. */
export const PYTHON = '/usr/bin/python3';

/** Names, in their order. */
export const flowNames = (folder: string): readonly string[] =>
  globSync('testcases/*/*.py', { cwd: folder })
    .map((file) => file.replace(/^testcases\/(.*)\.py$/, '$1'))
    .toSorted();

export async function runFlow(name: string, { folder, env, logs }: FlowOptions): Promise<FlowResult> {
  const file = join('testcases', `${name}.py`);
  const began = performance.now();
  const { code, output } = await new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    // SIGINT: a flow that is too slow still deletes what it made.
    const options = { cwd: folder, env, timeout: LIMIT_MS, killSignal: 'SIGINT', maxBuffer: 64 << 20 } as const;
    const child = execFile(PYTHON, [file], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? 1, output: `${stdout}${stderr}` }),
    );
  });
  writeFileSync(join(logs, `${name.replace('/', '-')}.log`), output);
  const steps = readFileSync(join(folder, file), 'utf8').match(/\.append_step\(/g)?.length ?? 0;
  return { name, steps, seconds: Math.round((performance.now() - began) / 1000), ...outcome(output, code, steps) };
}

/** Some flows end with 0 before their first step. */
export function outcome(output: string, code: number, steps: number): Pick<FlowResult, 'ok' | 'passed' | 'problem'> {
  const lines = output.trim().split('\n');
  const passed = lines.filter((line) => line.startsWith('PASS ')).length;
  if (code === 0 && passed === steps && steps > 0 && /^> Testcase ".*" succeeded <$/m.test(output)) return { ok: true, passed };
  return { ok: false, passed, problem: lines.findLast((line) => line.startsWith('FAIL ')) ?? lines.at(-1) ?? '' };
}
