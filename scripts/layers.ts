/** Whether imports point one way (.dependency-cruiser.cjs), asked of a checker that has just proved that it sees. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFile } from 'node:child_process';
import { CHECKS, npmProgram } from '../harness/tools/npm.ts';

interface Report {
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string; readonly severity: string };
    }[];
    readonly totalCruised: number;
    readonly totalDependenciesCruised: number;
  };
}

/** A small tree with one fault of each sort; a checker that sees no TypeScript, or no type-only imports, misses some. */
const PLANTED: Readonly<Record<string, string>> = {
  'src/api/a.ts': "import type { B } from '../reconciler/b.ts';\nexport type A = B;\n",
  'src/reconciler/b.ts': "import type { A } from '../api/a.ts';\nexport type B = A | string;\n",
  'src/constructs/c.ts': "import { readFileSync } from 'node:fs';\nexport const c = readFileSync;\n",
  'src/webhook/w.ts': "import { readFileSync } from 'node:fs';\nexport { c } from '../constructs/c.ts';\nexport const w = readFileSync;\n",
  'src/csi/publish/plan.ts': "import { readFileSync } from 'node:fs';\nexport const c = readFileSync;\n",
  'src/csi/mounts/m.ts': "import { c } from '../publish/plan.ts';\nexport const m = c;\n",
  'src/csi/grpc/g.ts': "import { c } from '../publish/plan.ts';\nexport const g = c;\n",
  'bench/b.ts': "import { c } from './c.ts';\nexport const b = c;\n",
  'bench/c.ts': "import type { b } from './b.ts';\nexport const c: typeof b | 1 = 1;\n",
  'harness/h.ts': 'export const h = 1;\n',
  'src/testing/t.ts': "export { h } from '../../harness/h.ts';\n",
  'src/planning/p.ts': "export type { B } from '../reconciler/b.ts';\n",
  'src/cli/c.ts': "export type { B } from '../reconciler/b.ts';\n",
  'src/takeover/t.ts':
    "import { readFileSync } from 'node:fs';\nexport type { B } from '../reconciler/b.ts';\nexport const t = readFileSync;\n",
  'src/takeover/world/w.ts': 'export const w = 1;\n',
  'src/takeover/fluid/f.ts': "export { w } from '../world/w.ts';\n",
  'src/ui/wire.ts': 'export const u = 1;\n',
  'src/ui/server/s.ts': "export type { B } from '../../reconciler/b.ts';\nexport { u } from '../wire.ts';\n",
  'src/ui/page/p.tsx':
    "import { readFileSync } from 'node:fs';\nexport { c } from '../../constructs/c.ts';\nexport { u } from '../wire.ts';\nexport const p = <p>{String(readFileSync)}</p>;\n",
  'src/fuse/f.ts': "import { c } from '../csi/publish/plan.ts';\nexport const f = c;\n",
};
const EXPECTED: readonly (readonly [rule: string, file: string])[] = [
  ['no-cycles', 'src/api/a.ts'],
  ['no-cycles', 'bench/b.ts'],
  ['src/api-imports-only-itself', 'src/api/a.ts'],
  ['pure-code-does-no-io', 'src/constructs/c.ts'],
  ['pure-code-does-no-io', 'src/csi/publish/plan.ts'],
  ['pure-code-does-no-io', 'src/webhook/w.ts'],
  ['src/webhook-imports-only-itself-and-src/api-and-src/kube', 'src/webhook/w.ts'],
  ['src/csi/mounts-imports-only-itself-and-src/api-and-src/kube', 'src/csi/mounts/m.ts'],
  ['src/csi/grpc-imports-only-itself-and-src/api-and-src/kube', 'src/csi/grpc/g.ts'],
  ['published-code-needs-nothing-of-the-checkout', 'src/testing/t.ts'],
  ['src/planning-imports-only-itself-and-src/api-and-src/constructs-and-src/kube', 'src/planning/p.ts'],
  ['commands-enter-the-reconciler-by-its-doors', 'src/cli/c.ts'],
  ['pure-code-does-no-io', 'src/takeover/t.ts'],
  ['src/takeover-imports-only-itself-and-src/api-and-src/constructs-and-src/kube-and-src/planning-and-src/install', 'src/takeover/t.ts'],
  ['src/takeover/fluid-imports-none-of-plan-world-try-go-back-finish', 'src/takeover/fluid/f.ts'],
  ['commands-enter-the-reconciler-by-its-doors', 'src/ui/server/s.ts'],
  ['src/ui/page-imports-only-itself-and-src/ui/wire.ts', 'src/ui/page/p.tsx'],
  ['src/ui/page-runs-in-a-browser', 'src/ui/page/p.tsx'],
  ['src/fuse-imports-only-itself-and-src/api', 'src/fuse/f.ts'],
];

export async function layers(root: string): Promise<{ readonly ok: boolean; readonly output: string }> {
  const [planted, real] = await Promise.all([cruisePlanted(root), cruise(root, root)]);
  const isFound = ([name, file]: (typeof EXPECTED)[number]): boolean =>
    planted.summary.violations.some(({ rule, from }) => rule.name === name && from === file);
  const missed = EXPECTED.filter((fault) => !isFound(fault)).map(([name, file]) => `${name} in ${file}`);
  if (missed.length > 0) return { ok: false, output: `the checker is blind: it does not report the planted ${missed.join(', ')}` };
  const { violations, totalCruised, totalDependenciesCruised } = real.summary;
  if (totalDependenciesCruised < totalCruised)
    return { ok: false, output: `the checker sees ${totalCruised} modules, but only ${totalDependenciesCruised} imports` };
  return { ok: violations.length === 0, output: violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).join('\n') };
}

async function cruisePlanted(root: string): Promise<Report> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-layers-'));
  try {
    for (const [file, text] of Object.entries(PLANTED)) {
      mkdirSync(dirname(join(dir, file)), { recursive: true });
      writeFileSync(join(dir, file), text);
    }
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json']) cpSync(join(root, file), join(dir, file));
    return await cruise(root, dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function cruise(root: string, dir: string): Promise<Report> {
  const program = await npmProgram(CHECKS, 'depcruise');
  const args = [
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'src',
    'bench',
    ...(dir === root ? ['runtimes', 'harness', 'scripts'] : []),
  ];
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: dir, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      // The exit code counts violations, after they are printed.
      try {
        resolve(JSON.parse(stdout) as Report);
      } catch {
        reject(new Error(`dependency-cruiser: ${stderr || (error?.message ?? '')}`));
      }
    });
  });
}
