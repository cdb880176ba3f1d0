/** Changes of code, each of which a test should notice. Pure. */
import ts from 'typescript';

export interface Mutant {
  /** From 1. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** The whole text with the change. */
  readonly text: string;
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
  '-': '+',
};

/**
 * Every change of a text that is one of these: a comparison or a condition turned round, the two branches of `?:` exchanged, a number one more,
 * a text one letter longer, a spread of nothing. Types and imports are left out.
 */
export function mutantsOf(text: string): readonly Mutant[] {
  const source = ts.createSourceFile('mutant.ts', text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const change = (node: ts.Node, after: string) => {
    const from = node.getStart();
    found.push({
      line: source.getLineAndCharacterOfPosition(from).line + 1,
      before: node.getText(),
      after,
      text: text.slice(0, from) + after + text.slice(node.end),
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const opposite = OPPOSITES[node.operatorToken.getText()];
      if (opposite !== undefined) change(node.operatorToken, opposite);
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) change(node, node.operand.getText());
    if (ts.isConditionalExpression(node))
      change(node, `(${node.condition.getText()} ? ${node.whenFalse.getText()} : ${node.whenTrue.getText()})`);
    if (ts.isNumericLiteral(node)) change(node, String(Number(node.text.replaceAll('_', '')) + 1));
    if (ts.isStringLiteral(node) && node.text !== '') change(node, JSON.stringify(`${node.text}X`));
    if (ts.isSpreadAssignment(node)) change(node.expression, '{}');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** So many of a list, by a seed: the same ones in every run. */
export function sampled<T>(list: readonly T[], count: number, seed: number): readonly T[] {
  let state = seed;
  const drawn = list.map((each) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return [(t ^ (t >>> 14)) >>> 0, each] as const;
  });
  return drawn
    .toSorted(([a], [b]) => a - b)
    .slice(0, count)
    .map(([, each]) => each);
}
