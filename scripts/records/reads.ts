import ts from 'typescript';

/** A place that reads a key of a label or an annotation, or a field of metadata that anybody may write. */
export interface Read {
  readonly file: string;
  readonly line: number;
  readonly key: string;
  /** Rows that the docstrings of the enclosing functions or constants cite. */
  readonly cites: readonly string[];
  /** The docstring says `threat-model: keeps`: keys are copied or listed here, and nothing follows from their values. */
  readonly isKept: boolean;
}
export interface Citation {
  readonly file: string;
  readonly row: string;
}

const CITATION = /threat-model: ([\w, -]*)/g;
const ROW = /R(-[a-z0-9]+)+/g;
const rowsOf = (text: string): readonly string[] => [...text.matchAll(CITATION)].flatMap(([, rows = '']) => rows.match(ROW) ?? []);

/** Rows that the comments of a file cite. */
export const citationsIn = ({ text }: ts.SourceFile, file: string): readonly Citation[] => rowsOf(text).map((row) => ({ file, row }));

/** Calls in which a key is compared or looked up. In any other call it is part of a message. */
const LOOKUPS: ReadonlySet<string> = new Set(['startsWith', 'endsWith', 'has', 'hasOwn', 'get', 'includes', 'indexOf']);

/** The texts that code may mean by a name: `label.owner`, or a constant. Names are resolved without types, which takes a tenth of the time. */
export type Names = ReadonlyMap<string, string>;

/**
 * Names of keys: members of constant objects as `object.member`, and constants, also those that are another name of one.
 *
 * @param isKey whether a text counts
 */
export function namesIn(sources: readonly ts.SourceFile[], isKey: (text: string) => boolean): Names {
  const names = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const { text } = node.name;
      const value = bare(node.initializer);
      const add = (name: string, of: ts.Expression) => {
        const key = keyOf(of, names, isKey);
        if (key !== undefined) names.set(name, key);
      };
      add(text, value);
      if (ts.isObjectLiteralExpression(value))
        for (const each of value.properties)
          if (ts.isPropertyAssignment(each) && ts.isIdentifier(each.name)) add(`${text}.${each.name.text}`, bare(each.initializer));
    }
    ts.forEachChild(node, visit);
  };
  // Twice: a name may stand for one that comes later.
  for (const _ of [1, 2]) for (const source of sources) visit(source);
  return names;
}

/** Without `as const` and parentheses. */
const bare = (node: ts.Expression): ts.Expression =>
  ts.isAsExpression(node) || ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node) ? bare(node.expression) : node;

function keyOf(node: ts.Expression, names: Names, isKey: (text: string) => boolean): string | undefined {
  if (ts.isStringLiteralLike(node)) return isKey(node.text) ? node.text : undefined;
  if (ts.isIdentifier(node)) return names.get(node.text);
  return ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)
    ? names.get(`${node.expression.text}.${node.name.text}`)
    : undefined;
}

export interface Sought {
  readonly names: Names;
  readonly isKey: (text: string) => boolean;
  /** Names of fields that count as keys, such as `ownerReferences`. */
  readonly fields: ReadonlySet<string>;
}

/** Reads of keys in a source file. A computed name in an object literal writes, a text in a message or a selector does neither. */
export function readsIn(source: ts.SourceFile, file: string, { names, isKey, fields }: Sought): readonly Read[] {
  const found: Read[] = [];
  function add(node: ts.Node, key: string | undefined): void {
    if (key === undefined) return;
    const docs = docsOver(node);
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    found.push({ file, line, key, cites: rowsOf(docs), isKept: docs.includes('threat-model: keeps') });
  }
  const addKey = (node: ts.Expression): void => add(node, keyOf(node, names, isKey));

  function visit(node: ts.Node): void {
    if (ts.isElementAccessExpression(node) && !isWritten(node)) addKey(node.argumentExpression);
    else if (ts.isBindingElement(node) && node.propertyName && ts.isComputedPropertyName(node.propertyName))
      addKey(node.propertyName.expression);
    else if (ts.isBindingElement(node) && node.propertyName && ts.isStringLiteral(node.propertyName)) addKey(node.propertyName);
    else if (ts.isArrayLiteralExpression(node)) node.elements.forEach(addKey);
    else if (ts.isBinaryExpression(node) && COMPARISONS.has(node.operatorToken.kind)) [node.left, node.right].forEach(addKey);
    else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && LOOKUPS.has(node.expression.name.text))
      node.arguments.forEach(addKey);
    const field = fieldOf(node);
    if (field !== undefined && fields.has(field)) add(node, `metadata.${field}`);
    ts.forEachChild(node, visit);
  }
  visit(source);
  return found;
}

const COMPARISONS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.InKeyword,
]);

const isWritten = (node: ts.Expression): boolean =>
  ts.isBinaryExpression(node.parent) && node.parent.left === node && node.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;

/** The field that a node reads: `a.field`, or `{ field }` in a pattern of a parameter or a variable. */
function fieldOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node) && !isWritten(node)) return node.name.text;
  if (!ts.isBindingElement(node) || node.dotDotDotToken) return undefined;
  const given = node.propertyName ?? node.name;
  return ts.isIdentifier(given) ? given.text : undefined;
}

/** The docstrings of all declarations around a node. */
function docsOver(node: ts.Node): string {
  const texts: string[] = [];
  for (let at: ts.Node | undefined = node; at && !ts.isSourceFile(at); at = at.parent)
    for (const doc of ts.getJSDocCommentsAndTags(at)) texts.push(doc.getText());
  return texts.join('\n');
}
