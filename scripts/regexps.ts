/**
 * Whether a text could make a regular expression of src or runtimes backtrack for long (recheck): one process serves all tenants. Asked of a
 * checker that has just proved that it sees.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';
import ts from 'typescript';
import { CHECKS, npmModules } from '../harness/tools/npm.ts';

/** By file and expression: why no text can be long there. A line that names none is a fault. */
const EXCUSED: Readonly<Record<string, string>> = {
  'src/api/template-text.ts /(\\$\\$\\{|\\$\\{[^}]*\\})/': 'its text ends with }, so that each ${ finds one',
  'src/cli/input/plain-yaml.ts /"(?:[^"\\\\]|\\\\.)*"(\\s*:)?/g':
    'its text was parsed as JSON: each quotation mark has its other, and is read once',
  'runtimes/juicefs/source.ts /^(?!-|\\.{1,2}$)[^/]+$/': 'is anchored, and what it looks ahead for is two characters',
  'src/fuse/values.ts /^\\/etc\\/fluid\\/secrets\\/[a-z0-9][a-z0-9.-]*\\/(?!\\.\\.)[\\w.-]+$/': 'the same',
  'src/install/options.ts /^(/[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?)+$/u': 'of an operator; a part ends at its slash',
  'src/testing/conformance/pods.ts /^(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/': 'of tests alone, and anchored',
  'src/testing/conformance/shells.ts new RegExp(`\\\\$\\\\{?${name}(?![A-Za-z0-9_])`)': 'of tests alone: the name of a variable',
  'src/api-server/schema/pattern.ts new RegExp(body)': 'of a definition, which the owner of the server in memory installs',
  'src/install/chart/values.ts new RegExp(String(pattern))': 'of the schema of options, and asked of an empty text',
  'src/api/reader.ts new RegExp(pattern)': 'of a schema, whose `pattern` is checked where it is written',
};
/** Repetitions in its forms have an upper bound: linear, if at a high price. Redacted texts have some KB (test/api/redact.test.ts). */
const EXCUSED_FILES = ['src/api/redact.ts'];

/** A checker that does not read a form of writing, or believes all, misses some. */
const PLANTED = `
const piece = '(?:a+)';
const several = /(a|a)*b/;
schema({ pattern: '^(b+)+$' });
new RegExp(\`^\${piece}+$\`, 'i');
new RegExp(unknown);
`;
const EXPECTED = ['/(a|a)*b/', '/^(b+)+$/u', '/^(?:a+)+$/i', 'new RegExp(unknown)'];

interface Found {
  readonly where: string;
  /** `/a+/g`; or the call, if what it is made of is not in the file. */
  readonly shown: string;
  readonly source?: string;
  readonly flags?: string;
}
/** The part of it that is used; it is not among the packages whose types are checked. */
interface Recheck {
  check(source: string, flags: string, options: { readonly checker: 'automaton'; readonly timeout: number }): Promise<Diagnosed>;
}
type Diagnosed =
  | { readonly status: 'safe' }
  | { readonly status: 'unknown'; readonly error: unknown }
  | { readonly status: 'vulnerable'; readonly complexity: { readonly summary: string }; readonly attack: { readonly pattern: string } };
interface Verdict {
  readonly status: string;
  readonly why: string;
}

const root = join(import.meta.dirname, '..');
const load = createRequire(join(await npmModules(CHECKS), 'package.json'));
const { check } = load('recheck') as Recheck;
const { version: VERSION } = load('recheck/package.json') as { readonly version: string };
const CACHE = join(root, 'node_modules/.cache/sluice/regexps.json');
const TIMEOUT_MS = 30_000;

const verdicts = new Map(Object.entries(cached()));
const planted = await faultsOf(expressionsIn('planted.ts', PLANTED));
const missed = EXPECTED.filter((shown) => !planted.some((fault) => fault.shown === shown));
if (missed.length > 0) end([`the checker is blind: it does not report the planted ${missed.join(', ')}`]);
// Simulated engines read what the controller of the same machine sends them.
const files = globSync('{src,runtimes}/**/*.ts', { cwd: root, exclude: ['src/playground/engines/**'] }).toSorted();
const all = files.flatMap((file) => expressionsIn(file, readFileSync(join(root, file), 'utf8')));
const idOf = ({ where, shown }: Found): string => `${where.split(':')[0]} ${shown}`;
const written = new Set([...all.map(idOf), ...files]);
const isExcused = (found: Found): boolean =>
  EXCUSED[idOf(found)] !== undefined || EXCUSED_FILES.some((file) => found.where.startsWith(`${file}:`));
const faults = await faultsOf(all.filter((found) => !isExcused(found)));
end([
  ...faults.map(({ where, shown, why }) => `${where}: ${shown}: ${why}`),
  ...[...Object.keys(EXCUSED), ...EXCUSED_FILES].flatMap((id) =>
    written.has(id) ? [] : [`scripts/regexps.ts excuses what is not found: ${id}`],
  ),
]);

/** The agent of recheck would keep this process. */
function end(lines: readonly string[]): never {
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify(Object.fromEntries(verdicts)));
  for (const line of lines) console.log(line);
  process.exit(lines.length > 0 ? 1 : 0);
}

async function faultsOf(found: readonly Found[]): Promise<readonly (Found & { readonly why: string })[]> {
  const judged = await pLimit(2).map(found, async (each) => ({ ...each, ...(await verdictOf(each)) }));
  return judged.filter(({ status }) => status !== 'safe');
}

async function verdictOf({ source, flags = '' }: Found): Promise<Verdict> {
  if (source === undefined) return { status: 'unknown', why: 'expected a text in the same file' };
  const id = `${VERSION} /${source}/${flags}`;
  const before = verdicts.get(id);
  if (before) return before;
  const diagnosed = await check(source, flags, { checker: 'automaton', timeout: TIMEOUT_MS });
  const why =
    diagnosed.status === 'vulnerable'
      ? `${diagnosed.complexity.summary}, by ${diagnosed.attack.pattern}`
      : diagnosed.status === 'unknown'
        ? `the checker cannot tell: ${JSON.stringify(diagnosed.error)}`
        : '';
  const verdict = { status: diagnosed.status, why };
  // A time-out may be the machine's fault.
  if (diagnosed.status !== 'unknown') verdicts.set(id, verdict);
  return verdict;
}

function cached(): Readonly<Record<string, Verdict>> {
  try {
    return JSON.parse(readFileSync(CACHE, 'utf8')) as Readonly<Record<string, Verdict>>;
  } catch {
    return {};
  }
}

/** Literals, calls of RegExp, and texts called `pattern`, the name in schemas. */
function expressionsIn(file: string, text: string): readonly Found[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const texts = new Map<string, ts.Expression>();
  const found: Found[] = [];
  const add = (node: ts.Node, of: Omit<Found, 'where'>) =>
    found.push({ where: `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`, ...of });
  const made = (node: ts.Node, source: string | undefined, flags: string, otherwise: string) =>
    add(node, source === undefined ? { shown: otherwise } : { shown: `/${source}/${flags}`, source, flags });
  visit(tree, (node) => {
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isIdentifier(node.name)) texts.set(node.name.text, node.initializer);
  });
  visit(tree, (node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { source, flags } = partsOf(node.text);
      add(node, { shown: node.text, source, flags });
    } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [of, flags] = node.arguments ?? [];
      const said = flags && textOf(flags);
      made(node, of && textOf(of), said ?? '', `new RegExp(${of?.getText() ?? ''})`);
    } else if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern' && !ts.isRegularExpressionLiteral(node.initializer)) {
      const source = textOf(node.initializer);
      // A name of an expression that is checked where it is written, or of another file.
      if (source !== undefined) made(node, source, 'u', '');
    }
  });
  return found;

  function textOf(node: ts.Expression): string | undefined {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isIdentifier(node)) {
      const value = texts.get(node.text);
      return value && textOf(value);
    }
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'source' && ts.isIdentifier(node.expression)) {
      const value = texts.get(node.expression.text);
      return value && ts.isRegularExpressionLiteral(value) ? partsOf(value.text).source : undefined;
    }
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw' && ts.isNoSubstitutionTemplateLiteral(node.template))
      return node.template.rawText;
    if (!ts.isTemplateExpression(node)) return undefined;
    const parts = node.templateSpans.map(({ expression, literal }) => {
      const value = textOf(expression);
      return value === undefined ? undefined : value + literal.text;
    });
    return parts.includes(undefined) ? undefined : node.head.text + parts.join('');
  }
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

function partsOf(literal: string): { readonly source: string; readonly flags: string } {
  const slash = literal.lastIndexOf('/');
  return { source: literal.slice(1, slash), flags: literal.slice(slash + 1) };
}
